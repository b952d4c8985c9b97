import { RefusedError, type CommandResult, type RequestMeta } from '@stave/contracts';
import {
  pauseCluster,
  rebootCluster,
  rebuildCluster,
  retryCluster,
  upgradeCluster,
  type ClusterEvent,
  type ClusterState,
  type Decision,
  type OperationStart,
} from '@stave/domain';
import type { ReplyWithPosition, ResourceCommands, RingFollower } from '@stave/service-kit';
import type { ClusterProjection } from './cluster.projection.js';
import { planUpgrade } from './plan-upgrade.js';

export interface ClusterActionBody {
  readonly action: string;
  /** Of a reboot. */
  readonly type?: 'soft' | 'hard';
  /** Of an upgrade. */
  readonly version?: string;
}

type Answer = Promise<ReplyWithPosition<CommandResult>>;
type Decide = (state: ClusterState, operation: OperationStart) => Decision<ClusterEvent>;

/** What can be asked of a cluster beside changes of its attributes. */
export class ClusterActions {
  constructor(
    private readonly ring: RingFollower,
    private readonly projection: ClusterProjection,
    private readonly commands: ResourceCommands<ClusterState>,
  ) {}

  perform(meta: RequestMeta, find: () => Promise<string>, body: ClusterActionBody): Answer {
    const decide = this.decisionOf(meta, body);
    return this.commands.change(meta, {
      find,
      body,
      starts: true,
      decide: (state, { resourceId, operationId: id }) => {
        const nodes = this.projection.nodeCounts(resourceId).total;
        const total = body.action === 'reboot' ? nodes : body.action === 'retry' ? 1 : nodes + 1;
        return decide(state, { id, kind: `cluster.${body.action}`, total });
      },
    });
  }

  private decisionOf({ ifMatch }: RequestMeta, { action, type, version }: ClusterActionBody): Decide {
    switch (action) {
      case 'pause':
      case 'resume':
        return state => pauseCluster(state, { paused: action === 'pause', ifMatch });
      case 'rebuild':
        return (state, operation) => rebuildCluster(state, { operation, ifMatch });
      case 'reboot':
        return (state, operation) => rebootCluster(state, { operation, type: type ?? 'soft', ifMatch });
      case 'upgrade':
        return (state, operation) => this.upgrade(state, operation, ifMatch, version);
      case 'retry':
        return (state, operation) => retryCluster(state, { operation, ifMatch });
      default:
        throw new RefusedError({
          code: 'unknown-action',
          kind: 'not-found',
          detail: `clusters have no action ${action}`,
        });
    }
  }

  /** What the cluster itself is against comes before what nobody offers. */
  private upgrade(
    state: ClusterState,
    operation: OperationStart,
    ifMatch: number | undefined,
    asked: string | undefined,
  ): Decision<ClusterEvent> {
    const { created, spec } = state;
    const possible = rebuildCluster(state, { operation, ifMatch });
    if (!possible.ok || !created || !spec) return possible;
    const groups = this.projection.groupSpecs(created.id);
    const planned = planUpgrade(this.ring.view, spec, groups, asked);
    return upgradeCluster(state, { ...planned, operation, ...(ifMatch === undefined ? {} : { ifMatch }) });
  }
}
