import type { EventHandlers } from '../kernel/event-handlers.js';
import type { ContainerEvent } from './container-events.js';
import type { ContainerState } from './container-state.js';
import { withTask } from './evolve-container-task.js';
import { withRejection } from './node-rejections.js';

export function withoutReason(state: ContainerState): ContainerState {
  const { statusReason: _reason, unschedulable: _why, ...rest } = state;
  return rest;
}

export function withoutPlace(state: ContainerState): ContainerState {
  const { nodeId: _node, placement: _placement, address: _address, ...placeless } = state;
  const { evictionReason: _evicted, observed: _observed, ...rest } = placeless;
  return { ...rest, builtGeneration: 0 };
}

const creationId = ({ operations }: ContainerState): string =>
  operations.find(o => o.kind === 'container.create')?.id ?? '';

/** Handles the events that move a container to a node and away from it. */
export const placementHandlers = {
  ContainerPlaced: (s, { data: { nodeId, explanation } }, at) => {
    const placed = { ...withoutReason(s), nodeId, placement: { ...explanation, nodeId, at } };
    return withTask({ ...placed, status: 'CREATING' }, 'container.create', creationId(s));
  },
  ContainerUnschedulable: (s, { data }) => ({
    ...s,
    status: 'UNSCHEDULABLE',
    statusReason: data.reason,
    unschedulable: data,
  }),
  ContainerNodeLost: (s, { data }) => ({
    ...withoutReason(s),
    status: 'FAILED',
    statusReason: data.reason,
    nodeLost: true,
  }),
  ContainerEvictionRequested: (s, { data: { reason, nodeId, insufficientResources } }, at) => {
    const recentlyRejectedBy = insufficientResources ? withRejection(s, nodeId, at) : s.recentlyRejectedBy;
    const evicted = { ...s, statusReason: reason, evictionReason: reason, recentlyRejectedBy };
    return withTask({ ...evicted, status: 'UPDATING' }, 'container.delete', creationId(s));
  },
  ContainerRemovedFromNode: (s, { data }) => ({
    ...withoutPlace(s),
    work: {},
    status: 'CREATING',
    statusReason: data.reason,
  }),
} satisfies Partial<EventHandlers<ContainerState, ContainerEvent>>;
