import type { ContainerDeclaration } from '../container/container-events.js';
import { omitUndefined } from '../kernel/json.js';
import { stableId } from '../kernel/stable-id.js';
import { memberContents } from './container-set-spec.js';
import { revisionOf, type ContainerSetState, type SetMember } from './container-set-state.js';

const SUFFIX = 5;

/** Returns the name of a member: that of its set, its ordinal, and five characters that follow from its id. */
export const memberName = (set: string, { id, ordinal }: Pick<SetMember, 'id' | 'ordinal'>): string =>
  `${set.slice(0, 63 - SUFFIX - 2 - String(ordinal).length)}-${ordinal}-${stableId('member', id).slice(0, SUFFIX)}`;

/** Returns the declaration of the container of a member, with the contents of its revision. */
export function memberDeclaration(state: ContainerSetState, member: SetMember): ContainerDeclaration {
  const { id: setId, name, projectId, clusterId } = state.declared;
  const source = revisionOf(state, member.revision);
  const { id, ordinal, operationId, passOver } = member;
  return {
    id,
    name: memberName(name, member),
    projectId,
    profileId: source.profileId,
    profileRevision: source.profileRevision,
    clusterId,
    hostCluster: clusterId,
    ...omitUndefined({ hostNode: source.hostNode, passOver }),
    setId,
    ordinal,
    contents: memberContents(source, ordinal),
    operationId,
  };
}
