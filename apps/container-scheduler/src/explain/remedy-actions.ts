import {
  contentsFrom,
  diffJson,
  omitUndefined,
  revisionOf,
  type ContainerChanges,
  type ContainerContents,
  type ContainerState,
  type PlacementRequest,
  type RemedyAction,
} from '@stave/domain';
import type { SchedulerProjection } from '../scheduling/scheduler.projection.js';

type Explained = Pick<ContainerState, 'declared' | 'contents'>;

/** What a remedy changes of the contents of a container: complete values; null removes a member. */
type Wanted = Partial<
  Pick<ContainerContents, 'nodeSelector' | 'tolerations' | 'ports' | 'resources' | 'spread' | 'affinity'>
> & {
  readonly zone?: null;
  readonly region?: null;
};

/** The members of requests that containers cannot change: policies and other resources decide them. */
const FIXED = ['hostNode', 'placement', 'network', 'volumes'] as const;

const differ = (a: unknown, b: unknown): boolean => diffJson(a, b).length > 0;

/** Returns the own rules without those that the request drops; undefined where it drops one that only a policy has. */
function keptRules<R>(
  own: readonly R[] = [],
  {
    before = [],
    after = [],
  }: { readonly before?: readonly R[] | undefined; readonly after?: readonly R[] | undefined },
): readonly R[] | undefined {
  const dropped = before.filter(rule => !after.includes(rule)).map(rule => JSON.stringify(rule));
  const kept = own.filter(rule => !dropped.includes(JSON.stringify(rule)));
  return own.length - kept.length === dropped.length ? kept : undefined;
}

/** Returns what has to change in the contents, so that they result in the request; undefined where they cannot. */
function wantedContents(
  contents: ContainerContents,
  before: PlacementRequest,
  after: PlacementRequest,
): Wanted | undefined {
  if (FIXED.some(member => differ(before[member], after[member]))) return undefined;
  const spread = keptRules(contents.spread, { before: before.spread, after: after.spread });
  const affinity = keptRules(contents.affinity, { before: before.affinity, after: after.affinity });
  if (!spread || !affinity) return undefined;
  const { cpus = 0, memoryMb = 0 } = contents.resources;
  const resources = {
    ...(cpus > 0 && { cpus: Math.min(cpus, after.cpus) }),
    ...(memoryMb > 0 && { memoryMb: Math.floor(Math.min(memoryMb, after.memoryMb)) }),
  };
  if (resources.cpus === 0 || resources.memoryMb === 0) return undefined;
  return {
    ...(before.zone !== after.zone && { zone: null }),
    ...(before.region !== after.region && { region: null }),
    ...(differ(before.nodeSelector, after.nodeSelector) && { nodeSelector: after.nodeSelector ?? {} }),
    ...(differ(spread, contents.spread ?? []) && { spread }),
    ...(differ(affinity, contents.affinity ?? []) && { affinity }),
    ...(differ(before.tolerations, after.tolerations) && { tolerations: after.tolerations ?? [] }),
    ...(differ(before.hostPorts, after.hostPorts) && { ports: portsOf(contents, after) }),
    ...(differ(resources, contents.resources) && { resources }),
  };
}

/** Returns the ports of the contents with the host ports of the request, which has those that want one in the same order. */
function portsOf({ ports }: ContainerContents, { hostPorts = [] }: PlacementRequest): ContainerContents['ports'] {
  const given = [...hostPorts];
  return ports.map(port => (port.hostPort === undefined ? port : { ...port, ...portOf(given.shift()) }));
}

const portOf = (
  port: NonNullable<PlacementRequest['hostPorts']>[number] | undefined,
): { readonly hostPort?: number } => (port ? { hostPort: port.port } : {});

const removedKeys = (before: object = {}, after: object = {}): Readonly<Record<string, null>> =>
  Object.fromEntries(Object.keys(before).flatMap(key => (key in after ? [] : [[key, null]])));

/** Changes a container that waits. */
function patchOf({ declared, contents }: Explained, wanted: Wanted): readonly RemedyAction[] {
  const { nodeSelector, ...others } = wanted;
  const removed = nodeSelector && removedKeys(contents.nodeSelector, nodeSelector);
  const body: ContainerChanges = { ...others, ...(removed && { nodeSelector: removed }) };
  return [{ method: 'PATCH', path: `/v1/containers/${declared.id}`, body }];
}

/**
 * Changes what all members of a set are made from: its overrides, and its profile where a member of that is to be absent. Undefined where
 * the profile has changed since the set took it.
 */
function setPatchOf(
  projection: SchedulerProjection,
  setId: string,
  wanted: Wanted,
): readonly RemedyAction[] | undefined {
  const set = projection.sets.get(setId);
  if (!set) return undefined;
  const { profileId, profileRevision, profile, overrides } = revisionOf(set);
  const { zone, region, nodeSelector, ...values } = wanted;
  const removed = omitUndefined({ zone, region });
  const ofProfile = Object.fromEntries(Object.keys(removed).flatMap(name => (name in profile ? [[name, null]] : [])));
  const ofOverrides = Object.fromEntries(
    Object.keys(removed).flatMap(name => (name in overrides ? [[name, null]] : [])),
  );
  const labels = nodeSelector && { ...removedKeys(overrides.nodeSelector, nodeSelector), ...nodeSelector };
  const body = { overrides: { ...ofOverrides, ...values, ...(labels && { nodeSelector: labels }) } };
  const path = `/v1/container-sets/${setId}`;
  if (Object.keys(ofProfile).length === 0) return [{ method: 'PATCH', path, body }];
  if (projection.profiles.get(profileId)?.revision !== profileRevision) return undefined;
  return [
    { method: 'PATCH', path: `/v1/container-profiles/${profileId}`, body: ofProfile },
    { method: 'PATCH', path, body: { profile: profileId, ...(Object.keys(body.overrides).length > 0 && body) } },
  ];
}

/** Returns the requests to the API after which the container asks for what the changed request does; undefined where there are none. */
export function changeOf(
  projection: SchedulerProjection,
  container: Explained,
  requests: { readonly before: PlacementRequest; readonly after: PlacementRequest },
): readonly RemedyAction[] | undefined {
  const { setId } = container.declared;
  const set = setId === undefined ? undefined : projection.sets.get(setId);
  const contents = set ? contentsFrom(revisionOf(set)) : container.contents;
  const wanted = wantedContents(contents, requests.before, requests.after);
  if (!wanted) return undefined;
  return setId === undefined ? patchOf(container, wanted) : setPatchOf(projection, setId, wanted);
}

export const moveOf = (id: string): RemedyAction => ({ method: 'POST', path: `/v1/containers/${id}/actions/move` });

/** Whether a user can move the container without that anything is lost. */
export const isMovable = ({ declared, contents, status, work, deleting, evictionReason }: ContainerState): boolean =>
  status === 'ACTIVE' &&
  contents.movable !== false &&
  declared.hostNode === undefined &&
  !deleting &&
  evictionReason === undefined &&
  !work.wanted &&
  !work.claim;
