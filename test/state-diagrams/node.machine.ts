import {
  abandonNode,
  cancelNodeOperation,
  cordonNode,
  declareNode,
  drainNode,
  failDrain,
  nodeDrained,
  nodeStream,
  observeNode,
  rebootNode,
  rebuildNode,
  removeNode,
  reportNodeTask,
  requestNodeRollout,
  retryNodeTask,
  type NodeState,
} from '@stave/domain';
import type { Machine } from './explore.js';
import { claimOf, reportSteps, workKey } from './task.machine.js';

const operation = { id: 'op', kind: 'node.test', total: 1 };
const declaration = {
  id: 'n',
  nodeGroupId: 'g',
  clusterId: 'c',
  projectId: 'p',
  name: 'web-0',
  groupName: 'web',
  ordinal: 0,
  spec: { role: 'worker', flavor: { cpus: 1, memoryMb: 1 }, labels: {}, taints: [], options: {} },
  operationId: 'op0',
} as const;

export const nodeMachine: Machine<NodeState> = {
  title: 'Node',
  text: 'A node is declared by its node group. Its containers leave before it is rebuilt or removed.',
  stream: nodeStream,
  creation: declareNode(declaration),
  statusOf: ({ deleted, status }) => (deleted ? '[*]' : status),
  keyOf: ({ status, wasActive, removing, drained, rebuilding, operation: own, rollout, deleted, work, ...s }) => [
    [status, wasActive, removing, drained, deleted, s.schedulable, s.engineDrained, s.attempts > 0],
    [rebuilding?.uncordonAfter, own?.kind, rollout?.done, workKey(work)],
  ],
  steps: [
    state => claimOf(state.work),
    ...reportSteps((state: NodeState) => state.work, reportNodeTask),
    state => cordonNode(state, { cordon: true }),
    state => cordonNode(state, { cordon: false }),
    state => drainNode(state, { operation }),
    nodeDrained,
    state => failDrain(state, 'containers were left'),
    state => cancelNodeOperation(state, operation.id),
    state => rebuildNode(state, { operation }),
    state => rebootNode(state, { operation, type: 'soft' }),
    state => requestNodeRollout(state, { rolloutId: 'r', kind: 'rebuild', operationId: 'op' }),
    state => requestNodeRollout(state, { rolloutId: 'r', kind: 'softReboot', operationId: 'op' }),
    state => removeNode(state, { reason: 'removed', operationId: 'op' }),
    state => retryNodeTask(state, { operation }),
    abandonNode,
    state => observeNode(state, { generation: state.generation, state: 'missing' }),
    state => observeNode(state, { generation: state.generation, state: 'running' }),
  ],
};
