import type { RequestMeta } from '@stave/contracts';
import {
  acceptClusterLoss,
  omitUndefined,
  hasLossSuspected,
  pauseCluster,
  rebootCluster,
  rebuildCluster,
  retryCluster,
  retryRenewsNodes,
  upgradeCluster,
  type ClusterEvent,
  type ClusterState,
  type Decision,
  type OperationStart,
  type RingView,
} from '@stave/domain';
import type { OfferedManifest } from '@stave/driver-sdk';
import { operatingManifest, unknownAction, type RequestIds } from '@stave/service-kit';
import type { ClusterProjection } from './cluster.projection.js';
import { clusterRouting } from './cluster.tasks.js';
import { resolveUpgrade } from './resolve-upgrade.js';

export interface ClusterActionBody {
  readonly action: string;
  /** How a reboot restarts nodes; default `soft`. */
  readonly type?: 'soft' | 'hard';
  /** The driver version that an upgrade leads to; default: the newest that is offered. */
  readonly version?: string;
  /** A rebuild, an upgrade or a retry of one may lose the data of volumes that are to be retained. */
  readonly discardVolumes?: boolean;
}

/** Returns whether the action takes the data on nodes of the cluster. */
export const renewsNodes = (state: ClusterState, { action }: ClusterActionBody): boolean =>
  action === 'rebuild' || action === 'upgrade' || (action === 'retry' && retryRenewsNodes(state));

type Decide<C> = (state: ClusterState, context: C) => Decision<ClusterEvent>;

/** Returns the decider of an action. Throws RefusedError `unknown-action`. */
export function decideAction(
  ring: RingView,
  projection: ClusterProjection,
  meta: RequestMeta,
  body: ClusterActionBody,
): Decide<RequestIds> {
  const { action } = body;
  const decide = deciderOf(ring, projection, meta, body);
  return (state, { resourceId, operationId: id }) => {
    const nodes = projection.nodeCounts(resourceId).total;
    const isOneTask = action === 'retry' || isAtOnce(ring, state, body);
    const total = isOneTask ? 1 : action === 'reboot' ? nodes : nodes + 1;
    const allowed = body.discardVolumes ? { discardVolumes: true as const } : {};
    return decide(state, { id, kind: `cluster.${action}`, total, ...allowed });
  };
}

/** Returns whether the driver does this to the cluster with all its nodes at once. */
function isAtOnce(ring: RingView, { spec }: ClusterState, { action, type = 'soft' }: ClusterActionBody): boolean {
  const { clusterActions = [] }: Partial<OfferedManifest> = operatingManifest(ring, clusterRouting(spec)) ?? {};
  const name = action === 'reboot' ? `${type}Reboot` : action;
  return clusterActions.some(each => each === name);
}

function deciderOf(
  ring: RingView,
  projection: ClusterProjection,
  { ifMatch }: RequestMeta,
  body: ClusterActionBody,
): Decide<OperationStart> {
  const { action, type = 'soft', version } = body;
  const atOnce = (state: ClusterState): boolean => isAtOnce(ring, state, body);
  switch (action) {
    case 'pause':
    case 'resume':
      return state => pauseCluster(state, { paused: action === 'pause', ifMatch });
    case 'rebuild':
      return (state, operation) => rebuildCluster(state, { operation, ifMatch, atOnce: atOnce(state) });
    case 'reboot':
      return (state, operation) => rebootCluster(state, { operation, type, ifMatch, atOnce: atOnce(state) });
    case 'upgrade':
      return (state, operation) => {
        // a refusal of the cluster itself is reported before a version that no conductor offers
        const possible = rebuildCluster(state, { operation, ifMatch });
        if (!possible.ok) return possible;
        const upgrade = resolveUpgrade(ring, state.spec, projection.groupSpecs(state.created.id), version);
        return upgradeCluster(state, { ...upgrade, operation, ...omitUndefined({ ifMatch }) });
      };
    case 'accept-loss':
      return state => {
        const { id } = state.created;
        const suspected = projection.suspectedContainers.has(id) || projection.groupStates(id).some(hasLossSuspected);
        return acceptClusterLoss(state, { suspected, ...omitUndefined({ ifMatch }) });
      };
    case 'retry':
      return (state, operation) => retryCluster(state, { operation, ifMatch });
    default:
      throw unknownAction('clusters', action);
  }
}
