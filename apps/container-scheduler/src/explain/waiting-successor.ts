import { boundsOf, type ContainerSetState, type RemedyAction, type SetMember } from '@stave/domain';

/** A member that stays in service until its successor is available. */
interface Predecessor {
  readonly id: string;
  readonly actions: readonly RemedyAction[];
}

const counts = ({ leaving, release, availableSince }: SetMember): boolean =>
  !leaving && release === undefined && availableSince !== undefined;

/**
 * Returns the member that the waiting one replaces, and the request after which it would go first: the set may lack no member now, and has all
 * that it should have. Undefined where that would change nothing.
 */
export function predecessorOf(set: ContainerSetState, memberId: string): Predecessor | undefined {
  const { members, spec, declared, deleting } = set;
  const before = members.get(members.get(memberId)?.replaces ?? '');
  if (!before || deleting || !counts(before) || boundsOf(set).unavailable > 0) return undefined;
  if ([...members.values()].filter(counts).length < spec.desired) return undefined;
  const body = { updateStrategy: { maxUnavailable: 1 } };
  return { id: before.id, actions: [{ method: 'PATCH', path: `/v1/container-sets/${declared.id}`, body }] };
}
