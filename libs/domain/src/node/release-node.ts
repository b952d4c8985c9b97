import { accept, type Decision } from '../kernel/decider.js';
import type { EventHandlers } from '../kernel/stream-definition.js';
import type { NodeEvent, NodeEvents } from './node-events.js';
import type { NodeState } from './node-state.js';

/** Notes that the removal of the node waits for its release, or does not any more. A repeated request has no effect. */
export function noteNodeRelease(
  state: NodeState,
  release: NodeEvents['NodeReleaseAwaited'] | undefined,
): Decision<NodeEvent> {
  if (state.removing || state.deleted || state.release?.until === release?.until) return accept();
  return release
    ? accept({ type: 'NodeReleaseAwaited', data: release })
    : accept({ type: 'NodeReleaseEnded', data: {} });
}

/** Notes that the hook was called for the release that is awaited until this time. */
export const noteNodeReleaseRequested = (
  { release }: NodeState,
  until: string,
  data: NodeEvents['NodeReleaseRequested'],
): Decision<NodeEvent> =>
  release?.until === until && !release.isRequested ? accept({ type: 'NodeReleaseRequested', data }) : accept();

export function withoutRelease(state: NodeState): NodeState {
  const { release: _ended, ...rest } = state;
  return rest;
}

export const releaseHandlers = {
  NodeReleaseAwaited: (s, { data }, since) => ({ ...s, release: { ...data, since } }),
  NodeReleaseRequested: (s, { data: { delivered } }) =>
    s.release ? { ...s, release: { ...s.release, isRequested: true, delivered } } : s,
  NodeReleaseEnded: withoutRelease,
} satisfies Partial<EventHandlers<NodeState, NodeEvent>>;
