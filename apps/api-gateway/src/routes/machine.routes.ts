import { alike, closed, exact, named, nullable, primitives as p } from '@stave/contracts/schemas';
import type { MachineStatus } from '@stave/domain';
import { unionOf } from '../schemas/list-fields.js';
import { resourceRoutes } from './resource.routes.js';

const status = unionOf<MachineStatus>()(
  'AVAILABLE',
  'CLAIMED',
  'CLEANING',
  'QUARANTINED',
  'MAINTENANCE',
  'UNREACHABLE',
);

const machine = named(
  'Machine',
  exact(
    {
      ...p.texts('id', 'name'),
      engine: exact({ url: p.anyString }, { secret: p.anyString }),
      labels: p.labels,
      ...alike(nullable(p.anyString), 'projectId', 'zone', 'region', 'nodeId', 'clusterId'),
      conductorGroup: p.anyString,
      status,
      createdAt: p.dateTime,
      updatedAt: p.dateTime,
      revision: p.anyInteger,
    },
    {
      statusReason: p.anyString,
      engineVersion: p.anyString,
      capacity: closed(alike(p.anyNumber, 'cpus', 'memoryMb', 'diskGb')),
      operationId: { ...p.anyString, description: 'in the response to a command that started an operation' },
    },
  ),
);

export const machineRoutes = resourceRoutes({
  resource: 'machine',
  schema: machine,
  list: {
    filters: {
      id: 'exact',
      name: 'name',
      status,
      ...alike('text', 'zone', 'region', 'conductorGroup', 'engineVersion'),
      url: ['text', 'engine.url'],
      ...alike('number', 'capacity.cpus', 'capacity.memoryMb'),
      ...alike('reference', 'clusterId', 'nodeId'),
    },
    sorts: ['createdAt', 'updatedAt', 'name', 'status', 'zone', 'region', 'capacity.cpus', 'capacity.memoryMb'],
    labels: true,
  },
  readAccess: 'operator',
  writeAccess: 'operator',
  create: {
    description:
      'The operation examines the engine; it ends FAILED, and nothing is registered, where the engine cannot be used.',
    example: {
      name: 'rack-1',
      engine: { url: 'fake://rack-1?cpus=8&memoryMb=16384' },
      labels: { rack: '1' },
      zone: 'a',
    },
  },
  examples: { patch: { labels: { rack: '2' }, zone: 'b' } },
  summaries: {
    drain: 'Drain a machine: its node moves to another one, and the machine is in maintenance',
    resume: 'Put a machine back in service after maintenance',
    clean: 'Clean a machine that is in quarantine',
  },
});
