import {
  acceptContainerLoss,
  actOnContainer,
  containerStream,
  createContainer,
  deleteContainer,
  evictContainer,
  loseContainerNode,
  markUnschedulable,
  observeContainer,
  placeContainer,
  removeContainerWithNode,
  reportContainerTask,
  retryContainer,
  updateContainer,
  type ContainerDeclaration,
  type ContainerState,
  type Observation,
} from '@stave/domain';
import type { Machine } from './explore.js';
import { claimOf, reportSteps, workKey } from './task.machine.js';

const operation = { id: 'op', kind: 'container.test', total: 1 };
const contents = {
  image: 'i',
  env: {},
  resources: {},
  volumes: [],
  ports: [],
  restartPolicy: 'no',
  labels: {},
} as const;
const declaration: ContainerDeclaration = {
  id: 'k',
  name: 'web',
  projectId: 'p',
  profileId: 'f',
  clusterId: 'c',
  hostCluster: 'c',
  contents,
  operation: { id: 'create', kind: 'container.create', total: 1 },
};
const why = { reason: 'none', remedy: { codes: [], sentence: '' }, refusals: [] };
const explanation = { refusals: [], seed: 0, policy: 'default', scores: [] };

const seen = (state: Observation['state'], exitCode?: number) => (container: ContainerState) =>
  observeContainer(container, {
    state,
    generation: container.generation,
    ...(exitCode === undefined ? {} : { exitCode }),
  });

export const containerMachine: Machine<ContainerState> = {
  title: 'Container',
  text: 'A container is placed on a node, runs there, and is placed again when it has to leave the node.',
  stream: containerStream,
  creation: createContainer(declaration),
  statusOf: ({ deleted, status }) => (deleted ? '[*]' : status),
  keyOf: ({ status, nodeId, desired, evictionReason, nodeLost, deleting, deleted, work, operations, ...s }) => [
    [
      status,
      nodeId,
      desired,
      evictionReason,
      nodeLost,
      deleting,
      deleted,
      s.builtGeneration > 0,
      s.suspectedLoss !== undefined,
    ],
    [operations.map(o => o.kind), workKey(work), s.observed?.state, s.contents.restartPolicy],
  ],
  steps: [
    state => placeContainer(state, { nodeId: 'n', explanation }),
    state => markUnschedulable(state, why),
    state => loseContainerNode(state, 'n'),
    state => claimOf(state.work),
    ...reportSteps((state: ContainerState) => state.work, reportContainerTask),
    state => actOnContainer(state, { action: 'start', operation }),
    state => actOnContainer(state, { action: 'stop', operation }),
    state => actOnContainer(state, { action: 'restart', operation }),
    state => updateContainer(state, { changes: { restartPolicy: 'always' }, operation }),
    state => evictContainer(state, { nodeId: 'n', reason: 'drained' }),
    state => removeContainerWithNode(state, 'n'),
    state => deleteContainer(state, { operationId: 'op', operation, reason: 'deleted' }),
    state => retryContainer(state, { operation }),
    seen('running'),
    seen('stopped', 0),
    seen('failed', 1),
    seen('missing'),
    state => observeContainer(state, { state: 'missing', generation: state.generation, suspected: 'mass-loss' }),
    state => acceptContainerLoss(state, 1),
  ],
};
