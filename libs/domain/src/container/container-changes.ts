import { accept, type Decision, type Problem } from '../kernel/decider.js';
import { diffJson, mergePatch, omitUndefined } from '../kernel/json.js';
import { mergeLabels } from '../kernel/merge-labels.js';
import { endOf, type OperationCommand } from '../kernel/operation.js';
import type { ContainerDemands, ContainerEvent } from './container-events.js';
import type { ContainerContents } from './container-spec.js';
import type { ContainerState } from './container-state.js';

/**
 * The attributes that can change in place, and what is demanded of the node, which can change while there is none. Absent members of
 * `resources` stay as they are; null removes a demand.
 */
export interface ContainerChanges {
  readonly labels?: Readonly<Record<string, string | null>> | null;
  readonly resources?: ContainerContents['resources'];
  readonly restartPolicy?: ContainerContents['restartPolicy'];
  readonly nodeSelector?: Readonly<Record<string, string | null>> | null;
  readonly zone?: string | null;
  readonly region?: string | null;
  readonly tolerations?: ContainerContents['tolerations'] | null;
  readonly ports?: ContainerContents['ports'] | null;
  readonly spread?: ContainerContents['spread'] | null;
  readonly affinity?: ContainerContents['affinity'] | null;
}

export const changedContents = (contents: ContainerContents, changes: ContainerChanges): ContainerContents => ({
  ...contents,
  ...omitUndefined({
    labels: changes.labels === undefined ? undefined : mergeLabels(contents.labels, changes.labels),
    resources: changes.resources && { ...contents.resources, ...changes.resources },
    restartPolicy: changes.restartPolicy,
  }),
});

const rules = ['spread', 'affinity'] as const;
const demandMembers = ['nodeSelector', 'zone', 'region', 'tolerations', 'ports', ...rules] as const;

/** Returns the demands after the changes; undefined where they are the same. */
export function changedDemands(
  { nodeSelector, zone, region, tolerations, ports, spread = [], affinity = [] }: ContainerContents,
  changes: ContainerChanges,
): ContainerDemands | undefined {
  const before = { ...omitUndefined({ nodeSelector, zone, region, tolerations }), ports, spread, affinity };
  const given = Object.fromEntries(
    demandMembers.flatMap(name => (changes[name] === undefined ? [] : [[name, changes[name]]])),
  );
  const merged = mergePatch(before, given) as Partial<ContainerDemands>;
  const after = { ports: [], spread: [], affinity: [], ...merged };
  if (diffJson(before, after).length === 0) return undefined;
  const { spread: spreads, affinity: affinities, ...others } = after;
  const changed = <T>(was: T, is: T): T | undefined => (diffJson(was, is).length === 0 ? undefined : is);
  return { ...others, ...omitUndefined({ spread: changed(spread, spreads), affinity: changed(affinity, affinities) }) };
}

/** A container that has a node keeps what it demanded of it. */
export const demandProblems = (changes: ContainerChanges): readonly Problem[] =>
  demandMembers
    .filter(name => changes[name] !== undefined)
    .map(name => {
      return {
        pointer: `/${name}`,
        code: 'placed',
        detail: 'can be changed only while the container waits for a node',
      };
    });

/** All changes of a waiting container are at once. */
export function changedWhileWaiting(
  { contents }: ContainerState,
  demands: ContainerDemands,
  { changes, operation }: Pick<OperationCommand, 'operation'> & { readonly changes: ContainerChanges },
): Decision<ContainerEvent> {
  const { labels, resources, restartPolicy } = changedContents(contents, changes);
  const data = { ...demands, labels, resources, restartPolicy, operation };
  return accept<ContainerEvent>({ type: 'ContainerDemandsChanged', data }, ...endOf(operation, 'SUCCEEDED'));
}
