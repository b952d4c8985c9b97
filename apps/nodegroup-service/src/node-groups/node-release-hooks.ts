import { Injectable } from '@nestjs/common';
import {
  noteNodeRelease,
  noteNodeReleaseRequested,
  omitUndefined,
  type Member,
  type NodeGroupState,
  type NodeState,
} from '@stave/domain';
import { HookCalls, type EventContext } from '@stave/service-kit';
import { FleetProjection } from '../fleet/fleet.projection.js';

const awaitsCall = ({ release }: NodeState): boolean => release?.url !== undefined && !release.isRequested;

/** Whether the stream of the node does not yet show what its group awaits, or the hook was not called yet. */
export const isReleaseOpen = ({ leaving, release }: Member, node: NodeState): boolean =>
  !leaving && (node.release?.until !== release?.until || awaitsCall(node));

/** Shows in the streams of nodes that their removal waits, and asks the hosts of hooks to release them. */
@Injectable()
export class NodeReleaseHooks {
  constructor(
    private readonly projection: FleetProjection,
    private readonly calls: HookCalls,
  ) {}

  async follow({ declared }: NodeGroupState, { id, release }: Member, context: EventContext): Promise<void> {
    const { nodes } = this.projection;
    const awaited = release && {
      nodeGroupId: declared.id,
      until: release.until,
      onTimeout: release.onTimeout,
      ...omitUndefined({ url: release.url }),
    };
    await nodes.settle(id, state => noteNodeRelease(state, awaited), context);
    const node = nodes.get(id);
    if (node && awaitsCall(node)) this.call(node, context);
  }

  private call({ declared, release }: NodeState, context: EventContext): void {
    const { id: nodeId, name, nodeGroupId, clusterId, projectId: project } = declared;
    const { url = '', until = '', onTimeout } = release ?? {};
    this.calls.begin(nodeId, {
      url,
      project,
      body: { nodeId, name, nodeGroupId, clusterId, until, onTimeout },
      note: outcome => this.projection.nodes.execute(nodeId, s => noteNodeReleaseRequested(s, until, outcome), context),
    });
  }
}
