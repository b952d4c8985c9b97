import { eventually, expectStatus, operationIdOf, uniqueName, type StaveClient } from '@stave/testing';
import { small } from './fleet.js';
import type { ResourceView } from './views.js';

const machines = '/v1/machines';

/** Uses every operation on machines at least once. */
export async function documentedMachines(api: StaveClient): Promise<void> {
  const register = (parameters: string, labels: object) => {
    const name = uniqueName('m');
    return api.succeed(
      api.post<ResourceView>(machines, { name, engine: { url: `fake://${name}${parameters}` }, labels }),
    );
  };
  const { id } = await register('', { rack: '1' });
  const path = `${machines}/${id}`;
  expectStatus(await api.patch(path, { labels: { rack: '2' }, zone: 'a' }), 200);
  await api.succeed(api.post(`${path}/actions/drain`));
  expectStatus(await api.post(`${path}/actions/resume`), 200);
  const past = [`${path}/events`, `${path}/diff?from=1`, `${path}?at=1`];
  for (const one of [machines, path, ...past, `${path}?fields=name`]) await api.read(one);
  expectStatus(await api.delete(path), 204);
  const pool = uniqueName('pool');
  await cleaned(api, await register('?dirty=true', { pool }), pool);
}

/** Has a machine put in quarantine after its node, and cleaned once more. */
async function cleaned(api: StaveClient, { id }: ResourceView, pool: string): Promise<void> {
  const nodeGroups = [{ name: 'w', role: 'worker', count: 1, flavor: small, machineSelector: { pool } }];
  const body = { name: uniqueName('c'), driver: 'fake', nodeGroups };
  const cluster = await api.succeed(api.post<ResourceView>('/v1/clusters', body));
  await api.succeed(api.delete(`/v1/clusters/${cluster.id}`));
  const path = `${machines}/${id}`;
  await eventually(async () => (await api.read<ResourceView>(path)).status === 'QUARANTINED', {
    timeoutMs: 60_000,
    what: 'the machine is in quarantine',
  });
  const cleaning = expectStatus(await api.post(`${path}/actions/clean`), 202);
  await api.operation(operationIdOf(cleaning) ?? '');
}
