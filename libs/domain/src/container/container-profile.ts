import {
  accept,
  acceptUnless,
  brokenRules,
  existenceRefusal,
  refuse,
  type Decision,
  type EventOf,
  type Problem,
} from '../kernel/decider.js';
import { labelProblems } from '../kernel/merge-labels.js';
import type { Conditional } from '../kernel/operation.js';
import { defineResourceStream } from '../kernel/stream-definition.js';
import { ownRuleProblems } from './own-rules.js';
import {
  placementTargetProblems,
  type ContainerContents,
  type PlacementTarget,
  type TargetNode,
} from './container-spec.js';

export interface ContainerProfileSpec extends PlacementTarget {
  readonly description?: string;
  readonly contents: ContainerContents;
}

interface ContainerProfileEvents {
  /** A container profile was created. */
  ContainerProfileCreated: {
    readonly id: string;
    readonly name: string;
    readonly projectId: string;
    readonly spec: ContainerProfileSpec;
  };
  /** The container profile changed. Containers that were created from it before keep their copy. */
  ContainerProfileUpdated: { readonly spec: ContainerProfileSpec };
  /** The container profile was deleted. Containers that were created from it stay. */
  ContainerProfileDeleted: Record<string, never>;
}

export type ContainerProfileEvent = EventOf<ContainerProfileEvents>;

export interface ContainerProfileState {
  readonly created: ContainerProfileEvents['ContainerProfileCreated'];
  readonly spec: ContainerProfileSpec;
  readonly deleted: boolean;
  readonly revision: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

const revised = (s: ContainerProfileState, changes: Partial<ContainerProfileState>): ContainerProfileState => ({
  ...s,
  ...changes,
  revision: s.revision + 1,
});

export const containerProfileStream = defineResourceStream<
  ContainerProfileState,
  ContainerProfileEvent,
  'ContainerProfileCreated'
>(
  'containerProfile',
  {
    ContainerProfileCreated: (created, time) => {
      return { created, spec: created.spec, deleted: false, revision: 1, createdAt: time, updatedAt: time };
    },
  },
  {
    ContainerProfileUpdated: (s, { data }) => revised(s, { spec: data.spec }),
    ContainerProfileDeleted: s => revised(s, { deleted: true }),
  },
);

type Result = Decision<ContainerProfileEvent>;

const what = 'the container profile';

/**
 * Creates a profile, or refuses with every broken rule of {@link placementTargetProblems}; `hostNode` names `node`. The event is appended
 * with `no_stream`.
 */
export function createContainerProfile(
  data: ContainerProfileEvents['ContainerProfileCreated'],
  node?: TargetNode,
): Result {
  const problems = [...placementTargetProblems(data.spec, node), ...ownRuleProblems(data.spec.contents)];
  return problems.length > 0 ? refuse(brokenRules(problems)) : accept({ type: 'ContainerProfileCreated', data });
}

const MAX_VARIABLES = 512;

/** Returns the problems that a patch can cause although each of its members is valid. */
function contentProblems(contents: ContainerContents): readonly Problem[] {
  const { labels, nodeSelector, env, network, healthCheck } = contents;
  const required = (pointer: string): Problem => ({ pointer, code: 'required', detail: `${pointer} is required` });
  const variables = Object.keys(env).length;
  const detail = `the result has ${variables} variables; at most ${MAX_VARIABLES} are allowed`;
  return [
    ...labelProblems(labels),
    ...ownRuleProblems(contents),
    ...labelProblems(nodeSelector, '/nodeSelector'),
    ...(variables > MAX_VARIABLES ? [{ pointer: '/env', code: 'too-many', detail }] : []),
    ...(network && !('name' in network) ? [required('/network/name')] : []),
    ...(healthCheck && !('command' in healthCheck) ? [required('/healthCheck/command')] : []),
  ];
}

interface UpdateContainerProfile extends Conditional {
  /** Returns the new specification. */
  readonly change: (spec: ContainerProfileSpec) => ContainerProfileSpec;
  readonly nodeOf: (id: string) => TargetNode | undefined;
}

/** Updates the profile. A change without effect results in no event. */
export function updateContainerProfile(
  state: ContainerProfileState,
  { change, nodeOf, ifMatch }: UpdateContainerProfile,
): Result {
  const refusal = existenceRefusal(what, state, ifMatch);
  if (refusal) return refuse(refusal);
  const spec = change(state.spec);
  const node = spec.hostNode === undefined ? undefined : nodeOf(spec.hostNode);
  const problems = [...placementTargetProblems(spec, node), ...contentProblems(spec.contents)];
  if (problems.length > 0) return refuse(brokenRules(problems));
  const same = JSON.stringify(spec) === JSON.stringify(state.spec);
  return same ? accept() : accept({ type: 'ContainerProfileUpdated', data: { spec } });
}

export const deleteContainerProfile = (state: ContainerProfileState, ifMatch?: number): Result =>
  acceptUnless(existenceRefusal(what, state, ifMatch), { type: 'ContainerProfileDeleted', data: {} });
