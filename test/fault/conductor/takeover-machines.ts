import type { TaskKind } from '@stave/driver-sdk';
import { expectStatus, uniqueName } from '@stave/testing';
import type { ResourceView } from '../../e2e/views.js';
import type { TakeoverHarness } from './takeover-harness.js';

const EACH = 3;

/**
 * Starts an examination and a cleaning of machines for each row of the takeover table. The fake cloud is asked about an engine, not about a
 * machine: `stop` assigns the next row of a kind to the engine of this name. Returns the machines by their engines.
 */
export async function actOnMachines(
  { api, fleet, group: conductorGroup }: TakeoverHarness,
  stop: (kind: TaskKind, engine: string) => void,
): Promise<ReadonlyMap<string, string>> {
  const machines = new Map<string, string>();
  const pool = uniqueName('pool');
  const ask = async (name: string) => {
    const body = { name, engine: { url: `fake://${name}` }, labels: { pool }, conductorGroup };
    const answer = await api.post<ResourceView>('/v1/machines', body);
    machines.set(name, expectStatus(answer, 202).body.id);
    return answer;
  };
  const names = (): readonly string[] => Array.from({ length: EACH }, () => uniqueName('m'));
  const used = names();
  await Promise.all(used.map(name => api.succeed(ask(name))));
  const { id } = await fleet.cluster({ conductorGroup }, [{ count: EACH, machineSelector: { pool } }]);
  for (const name of used) stop('machine.clean', name);
  expectStatus(await api.delete(`/v1/clusters/${id}`), 202);
  for (const name of names()) {
    stop('machine.probe', name);
    await ask(name);
  }
  return machines;
}
