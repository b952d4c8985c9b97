import type { DriverTaskResult, TaskKind, TaskResults } from '@stave/driver-sdk';
import type { TaskOutcome } from './decide-task.js';

const cluster = { infrastructureId: 'cluster-1', endpoints: [{ name: 'api', url: 'tcp://1.2.3.4:2375' }] };
const node = { infrastructureId: 'node-1', addresses: ['10.0.0.1'], capacity: { cpus: 1, memoryMb: 1 } };
const container = { infrastructureId: 'container-1', address: '10.0.0.2' };

const contents = { containers: [], volumes: [], networks: [], state: {} };

const results: TaskResults = {
  'cluster.create': cluster,
  'cluster.update': cluster,
  'cluster.delete': {},
  'cluster.rebuild': cluster,
  'cluster.softReboot': {},
  'cluster.hardReboot': {},
  'node.create': node,
  'node.update': node,
  'node.rebuild': node,
  'node.softReboot': {},
  'node.hardReboot': {},
  'node.drain': {},
  'node.undrain': {},
  'node.delete': {},
  'container.create': container,
  'container.update': container,
  'container.start': container,
  'container.stop': {},
  'container.restart': container,
  'container.delete': {},
  'network.create': { infrastructureId: 'network-1' },
  'network.delete': {},
  'volume.create': { infrastructureId: 'volume-1' },
  'volume.delete': {},
  'machine.probe': { engineId: 'engine-1', capacity: { cpus: 4, memoryMb: 4096 }, contents },
  'machine.clean': contents,
};

/** The outcome of a completed task of this kind. */
export function doneOf<K extends TaskKind>(kind: K): Extract<TaskOutcome<K>, { type: 'done' }> {
  const completion: DriverTaskResult<K> = { kind, result: results[kind] };
  return { type: 'done', ...completion };
}
