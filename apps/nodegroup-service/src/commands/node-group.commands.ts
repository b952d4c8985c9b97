import { RefusedError, type CommandResult, type RequestMeta } from '@stave/contracts';
import {
  brokenRules,
  cancelNodeGroupOperation,
  deleteNodeGroup,
  mergeLabels,
  resizeNodeGroup,
  updateNodeGroup,
  type NodeGroupChanges,
  type NodeGroupSpec,
  type NodeGroupState,
  type NodeState,
} from '@stave/domain';
import {
  requireDriver,
  ResourceCommands,
  type Positioned,
  type Home,
  type OperationRecord,
  type ServiceRuntime,
} from '@stave/platform';
import { shownGroup } from '../documents/node-group.document.js';
import type { NodeGroupModels } from '../nodegroup-models.js';
import { clusterTakesWork } from './cluster-takes-work.js';
import type { Find } from './find.js';
import type { NodeGroupCreation } from './node-group.creation.js';
import type { NodeGroupInput } from './plan-group.js';

export type Answer = Promise<Positioned<CommandResult>>;
export interface ResizeBody {
  readonly count?: number;
  readonly change?: number | string;
}

/** A merge patch: null goes back to the default, and takes a label or all of them away. */
export interface NodeGroupPatch {
  readonly count?: number;
  readonly minCount?: number | null;
  readonly maxCount?: number | null;
  readonly conductorGroup?: string | null;
  readonly labels?: Readonly<Record<string, string | null>> | null;
}

/** Where groups and nodes belong. */
export const homeOf = ({ declared }: Pick<NodeGroupState | NodeState, 'declared'>): Home => ({
  projectId: declared?.projectId ?? '',
  clusterId: declared?.clusterId ?? '',
});

/** Commands on node groups; each answers with the group as accepted. */
export class NodeGroupCommands {
  private readonly commands: ResourceCommands<NodeGroupState>;

  constructor(
    private readonly runtime: ServiceRuntime,
    private readonly models: NodeGroupModels,
    private readonly find: Find,
    private readonly creation: NodeGroupCreation,
  ) {
    this.commands = new ResourceCommands(runtime, { model: models.groups, home: homeOf, show: shownGroup });
  }

  create(meta: RequestMeta, body: NodeGroupInput): Answer {
    return this.creation.run(meta, body);
  }

  async resize(meta: RequestMeta, ref: string, clusterRef: string | undefined, body: ResizeBody): Answer {
    return this.commands.change(meta, {
      ...this.target(meta, ref, clusterRef),
      body,
      starts: true,
      check: ({ declared }) => clusterTakesWork(this.models, declared?.clusterId),
      decide: (state, { operationId: id }) => {
        const now = state.spec?.count ?? 0;
        const count = wantedCount(now, body);
        const operation = { id, kind: 'node-group.resize', total: Math.abs(count - now) };
        return resizeNodeGroup(state, count, operation, meta.ifMatch);
      },
    });
  }

  async patch(meta: RequestMeta, ref: string, clusterRef: string | undefined, patch: NodeGroupPatch): Answer {
    const { count, ...others } = patch;
    if (count !== undefined && Object.keys(others).length > 0)
      throw new RefusedError(
        brokenRules([{ pointer: '/count', code: 'change-alone', detail: 'change the count in a request of its own' }]),
      );
    if (count !== undefined) return this.resize(meta, ref, clusterRef, { count });
    return this.commands.change(meta, {
      ...this.target(meta, ref, clusterRef),
      body: patch,
      starts: false,
      check: state => this.isServed(state, patch.conductorGroup),
      decide: s => updateNodeGroup(s, s.spec ? changesOf(s.spec, patch) : {}, meta.ifMatch),
    });
  }

  async remove(meta: RequestMeta, ref: string, clusterRef: string | undefined): Answer {
    return this.commands.change(meta, {
      ...this.target(meta, ref, clusterRef),
      body: { delete: true },
      starts: true,
      check: ({ declared }) => clusterTakesWork(this.models, declared?.clusterId, true),
      decide: (state, { operationId: id }) =>
        deleteNodeGroup(state, id, { id, kind: 'node-group.delete', total: state.members.size }, meta.ifMatch),
    });
  }

  /** What the operation was making is removed again. Answers the position of what was appended. */
  async cancel(meta: RequestMeta, operation: OperationRecord): Promise<number | undefined> {
    const { id, type } = operation.target;
    if (type !== 'nodeGroup')
      throw new RefusedError({
        code: 'not-cancellable',
        kind: 'conflict',
        detail: `a ${operation.kind} cannot be cancelled`,
      });
    const answer = await this.commands.change(meta, {
      find: () => Promise.resolve(id),
      body: { cancel: operation.id },
      starts: false,
      partOf: operation.id,
      decide: s => cancelNodeGroupOperation(s, operation.id),
    });
    return answer.position;
  }

  private target(
    meta: RequestMeta,
    ref: string,
    clusterRef: string | undefined,
  ): { readonly find: () => Promise<string> } {
    return { find: async () => (await this.find.group(meta, ref, clusterRef)).id };
  }

  private isServed({ declared }: NodeGroupState, group: string | null | undefined): void {
    const cluster = this.models.clusters.get(declared?.clusterId ?? '')?.spec;
    if (group === undefined || !cluster) return;
    const { conductorGroup, driver, driverVersion } = cluster;
    requireDriver(this.runtime.ring.view, group ?? conductorGroup, driver, driverVersion);
  }
}

function changesOf(spec: NodeGroupSpec, patch: NodeGroupPatch): NodeGroupChanges {
  const { labels, minCount, maxCount, conductorGroup } = patch;
  return {
    ...(labels === undefined ? {} : { labels: mergeLabels(spec.labels, labels) }),
    ...(minCount === undefined ? {} : { minCount: minCount ?? 0 }),
    ...(maxCount === undefined ? {} : { maxCount }),
    ...(conductorGroup === undefined ? {} : { conductorGroup }),
  };
}

/** `{count}`, or `{change}` by a number or a percentage (rounded away from zero). */
function wantedCount(count: number, body: ResizeBody): number {
  if (body.count !== undefined) return body.count;
  const { change } = body;
  const percent = typeof change === 'string' ? /^([+-]?\d+(?:\.\d+)?)%$/.exec(change)?.[1] : undefined;
  const exact = percent === undefined ? Number(change) : (count * Number(percent)) / 100;
  const by = Math.sign(exact) * Math.ceil(Math.abs(exact));
  const wanted = count + by;
  if (Number.isInteger(wanted) && wanted >= 0 && wanted <= 10_000) return wanted;
  throw new RefusedError(
    brokenRules([{ pointer: '/change', code: 'bad-count', detail: 'the count would not be between 0 and 10000' }]),
  );
}
