import { accept, refuse, type Decision } from '../kernel/decider.js';
import { labelProblems } from '../kernel/merge-labels.js';
import type { Conditional } from '../kernel/operation.js';
import { brokenRules, conflict, notFound, revisionMismatch, type Problem, type Refusal } from '../kernel/refusal.js';
import { ignoreUnknownEvent, type StreamDefinition } from '../kernel/stream-definition.js';
import type {
  ContainerProfileCreated,
  ContainerProfileEvent,
  ContainerProfileSpec,
} from './container-profile-events.js';
import type { ContainerContents } from './container-spec.js';
import { placementTargetProblems, type TargetNode } from './host-rules.js';

export interface ContainerProfileState {
  readonly created?: ContainerProfileCreated['data'];
  readonly spec?: ContainerProfileSpec;
  readonly deleted: boolean;
  readonly revision: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

const initialContainerProfile: ContainerProfileState = {
  deleted: false,
  revision: 0,
  createdAt: '',
  updatedAt: '',
};

function evolveContainerProfile(
  state: ContainerProfileState,
  event: ContainerProfileEvent,
  time: string,
): ContainerProfileState {
  const s = { ...state, updatedAt: time, revision: state.revision + 1 };
  switch (event.type) {
    case 'ContainerProfileCreated':
      return { ...s, created: event.data, spec: event.data.spec, createdAt: time };
    case 'ContainerProfileUpdated':
      return { ...s, spec: event.data.spec };
    case 'ContainerProfileDeleted':
      return { ...s, deleted: true };
    default:
      return ignoreUnknownEvent(state, event);
  }
}

type Result = Decision<ContainerProfileEvent>;

/** Creates a profile, or refuses with every broken rule of {@link placementTargetProblems}; `hostNode` names `node`. */
export function createContainerProfile(
  state: ContainerProfileState,
  data: ContainerProfileCreated['data'],
  node?: TargetNode,
): Result {
  if (state.created) return refuse(conflict('already-exists', 'the container profile exists'));
  const problems = placementTargetProblems(data.spec, node);
  return problems.length > 0 ? refuse(brokenRules(problems)) : accept({ type: 'ContainerProfileCreated', data });
}

function usable(state: ContainerProfileState, ifMatch?: number): Refusal | undefined {
  if (!state.created || state.deleted) return notFound('the container profile');
  return ifMatch !== undefined && ifMatch !== state.revision ? revisionMismatch(ifMatch, state.revision) : undefined;
}

const MAX_VARIABLES = 512;

/** Returns the problems that a patch can cause although each of its members is valid. */
function contentProblems({ labels, nodeSelector, env, network, healthCheck }: ContainerContents): readonly Problem[] {
  const required = (pointer: string): Problem => ({ pointer, code: 'required', detail: `${pointer} is required` });
  const variables = Object.keys(env).length;
  const detail = `the result has ${variables} variables; at most ${MAX_VARIABLES} are allowed`;
  return [
    ...labelProblems(labels),
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
  const refusal = usable(state, ifMatch);
  if (refusal || !state.spec) return refuse(refusal ?? notFound('the container profile'));
  const spec = change(state.spec);
  const node = spec.hostNode === undefined ? undefined : nodeOf(spec.hostNode);
  const problems = [...placementTargetProblems(spec, node), ...contentProblems(spec.contents)];
  if (problems.length > 0) return refuse(brokenRules(problems));
  const same = JSON.stringify(spec) === JSON.stringify(state.spec);
  return same ? accept() : accept({ type: 'ContainerProfileUpdated', data: { spec } });
}

export function deleteContainerProfile(state: ContainerProfileState, ifMatch?: number): Result {
  const refusal = usable(state, ifMatch);
  return refusal ? refuse(refusal) : accept({ type: 'ContainerProfileDeleted', data: {} });
}

export const containerProfileStream: StreamDefinition<ContainerProfileState, ContainerProfileEvent> = {
  category: 'containerProfile',
  initial: initialContainerProfile,
  evolve: evolveContainerProfile,
};
