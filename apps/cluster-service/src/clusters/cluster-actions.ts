import type { RequestMeta } from '@stave/contracts';
import {
  acceptClusterLoss,
  omitUndefined,
  hasLossSuspected,
  pauseCluster,
  rebootCluster,
  rebuildCluster,
  retryCluster,
  upgradeCluster,
  type ClusterEvent,
  type ClusterState,
  type Decision,
  type OperationStart,
  type RingView,
} from '@stave/domain';
import { unknownAction, type RequestIds } from '@stave/service-kit';
import type { ClusterProjection } from './cluster.projection.js';
import { resolveUpgrade } from './resolve-upgrade.js';

export interface ClusterActionBody {
  readonly action: string;
  /** How a reboot restarts nodes; default `soft`. */
  readonly type?: 'soft' | 'hard';
  /** The driver version that an upgrade leads to; default: the newest that is offered. */
  readonly version?: string;
}

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
    const total = action === 'reboot' ? nodes : action === 'retry' ? 1 : nodes + 1;
    return decide(state, { id, kind: `cluster.${action}`, total });
  };
}

function deciderOf(
  ring: RingView,
  projection: ClusterProjection,
  { ifMatch }: RequestMeta,
  { action, type = 'soft', version }: ClusterActionBody,
): Decide<OperationStart> {
  switch (action) {
    case 'pause':
    case 'resume':
      return state => pauseCluster(state, { paused: action === 'pause', ifMatch });
    case 'rebuild':
      return (state, operation) => rebuildCluster(state, { operation, ifMatch });
    case 'reboot':
      return (state, operation) => rebootCluster(state, { operation, type, ifMatch });
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
