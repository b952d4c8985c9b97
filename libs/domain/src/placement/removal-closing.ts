import { accept, conflict, refuse, type Decision } from '../kernel/decider.js';
import type { AwaitedRemoval, PlacementEvent, PlacementState } from './placement-stream.js';

export interface NodesToClose {
  readonly nodeIds: readonly string[];
  readonly reason: string;
  readonly awaits: AwaitedRemoval;
  /** Of the nodes, those whose data may be discarded. */
  readonly discarded: ReadonlySet<string>;
  /** Returns the name of a volume that is to be retained; undefined for any other. */
  readonly retained: (volumeId: string) => string | undefined;
}

/** Returns the volumes whose data is on these nodes, as far as the ledger has bound them. */
export const boundTo = ({ lent }: PlacementState, nodeIds: readonly string[]): readonly string[] =>
  nodeIds.flatMap(id => [...(lent.boundOn.get(id) ?? [])]);

/**
 * Closes nodes whose removal or rebuild is about to be accepted, so that no data is bound to them any more. Refused with `holds-volumes`,
 * for all of them, where one has the only data of volumes that are to be retained; `extra` names the volumes and has the ids of the nodes. A
 * repeated request results in no events.
 */
export function closeForRemoval(state: PlacementState, request: NodesToClose): Decision<PlacementEvent> {
  const { nodeIds, reason, awaits, discarded, retained } = request;
  const keeping = nodeIds.filter(id => !discarded.has(id));
  const volumes = boundTo(state, keeping).flatMap(id => retained(id) ?? []);
  if (volumes.length > 0) {
    const holding = keeping.filter(id => boundTo(state, [id]).some(each => retained(each) !== undefined));
    const refusal = conflict('holds-volumes', 'nodes have the only data of volumes that are to be retained');
    return refuse({ ...refusal, extra: { volumes, nodeIds: holding } });
  }
  const isClosed = (id: string): boolean => {
    const known = state.awaited.get(id);
    return known?.stream === awaits.stream && known.after >= awaits.after;
  };
  const open = nodeIds.filter(id => !isClosed(id));
  return open.length === 0
    ? accept()
    : accept({ type: 'PlacementNodesClosed', data: { nodeIds: open, reason, awaits } });
}
