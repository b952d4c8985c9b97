import { stableId, type DomainEvent } from '@stave/domain';
import { doneOf } from '@stave/domain/testing';
import type { TaskKind } from '@stave/driver-sdk';

/** The project of the resources in these events. */
export const PROJECT = 'p1';
/** The session of the conductor `one`, in these events. */
export const SESSION = 'session-1';
/** The driver that the conductor `one` offers. */
export const DRIVER = { name: 'fake', version: '1.0.0' };

/** The conductor `one` joins the ring, with the driver `fake`. */
export function conductorJoined(
  manifest: Readonly<Record<string, unknown>> = {},
  versions: readonly string[] = [DRIVER.version],
): DomainEvent {
  const drivers = versions.map(version => ({ name: DRIVER.name, version, manifest }));
  const member = { conductor: 'one', session: SESSION, group: '', weight: 1, release: '1', keyMode: 'group' };
  return { type: 'ConductorJoined', data: { ...member, drivers, kind: 'conductor' } };
}

export interface CreatedCluster {
  readonly id: string;
  readonly name?: string;
  readonly projectId?: string;
  readonly groups?: readonly object[];
  readonly options?: object;
}

/** A cluster of the driver `fake`. */
export function clusterCreated({ id, name = 'alpha', projectId = PROJECT, ...more }: CreatedCluster): DomainEvent {
  const { groups = [], options = {} } = more;
  const empty = { network: {}, api: {}, labels: {}, defaults: {} };
  const spec = { driver: DRIVER.name, driverVersion: DRIVER.version, conductorGroup: '', ...empty, options };
  const operation = { id: `c-${id}`, kind: 'cluster.create', total: 1 };
  return { type: 'ClusterCreated', data: { id, name, projectId, spec, groups, operation } };
}

/** The conductor `one` claims and completes a task of the resource; `more`: members of its result. */
export function taskDone(id: string, kind: TaskKind, generation = 1, more: object = {}): readonly DomainEvent[] {
  const task = { taskId: stableId(id, kind, generation), generation, attempt: 1 };
  const { type: _done, result, ...completed } = doneOf(kind);
  return [
    { type: 'TaskClaimed', data: { ...task, kind, conductor: 'one', session: SESSION, epoch: 0 } },
    { type: 'TaskCompleted', data: { ...task, ...completed, result: { ...result, ...more } } },
  ];
}

/** The specification of a node group of workers. */
export const groupSpec = (count: number): Readonly<Record<string, unknown>> => ({
  role: 'worker',
  count,
  minCount: 0,
  flavor: { cpus: 1, memoryMb: 512 },
  zones: [],
  labels: {},
  taints: [],
  conductorGroup: null,
  options: {},
});
