import { Injectable } from '@nestjs/common';
import type { CommandResult, RequestMeta } from '@stave/contracts';
import {
  cancelClusterOperation,
  deleteCluster,
  updateCluster,
  type ClusterEvent,
  type ClusterState,
  type Decision,
  type OperationStart,
} from '@stave/domain';
import {
  RequestLedger,
  ResourceCommands,
  RingFollower,
  type ResourceScope,
  type ReplyWithPosition,
  type RequestIds,
} from '@stave/service-kit';
import { ClusterActions, type ClusterActionBody } from './cluster-actions.js';
import { ClusterCreation } from './cluster.creation.js';
import { shownCluster } from './cluster.document.js';
import { ClusterLookup } from './cluster.lookup.js';
import { ClusterProjection } from './cluster.projection.js';
import { changesOf, patchProblems, requireServed, type ClusterPatch } from './cluster-patch.js';
import type { ClusterInput } from './cluster-request.js';

type Answer = Promise<ReplyWithPosition<CommandResult>>;

const scope = ({ created }: ClusterState): ResourceScope => ({
  projectId: created?.projectId ?? '',
  clusterId: created?.id ?? '',
});

/** Commands on clusters; each answers with the cluster as accepted. */
@Injectable()
export class ClusterCommands {
  private readonly commands: ResourceCommands<ClusterState>;
  private readonly actions: ClusterActions;

  constructor(
    ledger: RequestLedger,
    private readonly ring: RingFollower,
    private readonly projection: ClusterProjection,
    private readonly lookup: ClusterLookup,
    private readonly creation: ClusterCreation,
  ) {
    this.commands = new ResourceCommands(ledger, { model: projection.clusters, scope, show: shownCluster });
    this.actions = new ClusterActions(ring, projection, this.commands);
  }

  create(meta: RequestMeta, body: ClusterInput): Answer {
    return this.creation.run(meta, body);
  }

  async patch(meta: RequestMeta, ref: string, patch: ClusterPatch): Answer {
    const { view } = this.ring;
    const decide = (s: ClusterState, { operationId: id }: RequestIds): Decision<ClusterEvent> => {
      const changes = s.spec ? changesOf(s.spec, patch) : {};
      return updateCluster(s, changes, {
        operation: { id, kind: 'cluster.update', total: 1 },
        problems: patchProblems(view, changes),
        ...(meta.ifMatch === undefined ? {} : { ifMatch: meta.ifMatch }),
      });
    };
    return this.commands.change(meta, {
      ...this.target(meta, ref),
      body: patch,
      starts: true,
      check: (state, ids) => {
        if (state.spec && decide(state, ids).ok) requireServed(view, state.spec, patch);
      },
      decide,
    });
  }

  async remove(meta: RequestMeta, ref: string, force: boolean): Answer {
    const terms = { force, ...(meta.ifMatch === undefined ? {} : { ifMatch: meta.ifMatch }) };
    return this.commands.change(meta, {
      ...this.target(meta, ref),
      body: force ? { delete: true, force } : { delete: true },
      starts: true,
      decide: (s, ids) => deleteCluster(s, { operation: this.deletion(ids), ...terms }),
    });
  }

  async action(meta: RequestMeta, ref: string, body: ClusterActionBody): Answer {
    return this.actions.perform(meta, this.target(meta, ref).find, body);
  }

  /** What the operation was creating is removed by an operation of its own, what it changes stops. Answers the position of what was appended. */
  async cancel(meta: RequestMeta, clusterId: string, operationId: string): Promise<number | undefined> {
    const answer = await this.commands.change(meta, {
      find: () => Promise.resolve(clusterId),
      body: { cancel: operationId },
      starts: true,
      partOf: operationId,
      decide: (s, ids) => cancelClusterOperation(s, { operationId, deletion: this.deletion(ids) }),
    });
    return answer.position;
  }

  private target(meta: RequestMeta, ref: string): { readonly find: () => Promise<string> } {
    return { find: async () => (await this.lookup.find(meta, ref)).id };
  }

  private deletion({ resourceId, operationId }: RequestIds): OperationStart {
    return { id: operationId, kind: 'cluster.delete', total: this.projection.nodeCounts(resourceId).total + 1 };
  }
}
