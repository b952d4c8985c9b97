import { eventually, expectStatus, operationIdOf } from '@stave/testing';
import { Fleet } from './fleet.js';
import { EmbeddedStack } from './stack.js';
import type { NodeView, ResourceView } from './views.js';

jest.setTimeout(300_000);

const TIMEOUT_MS = 180_000;

describe('machines that come late', () => {
  let stack: EmbeddedStack;
  let fleet: Fleet;
  beforeAll(async () => {
    stack = await EmbeddedStack.start(undefined, { DRIVERS_ENABLED: 'fake' });
    fleet = new Fleet(stack);
  });
  afterAll(() => stack?.close());

  const register = (name: string, pool: string) =>
    fleet.api.succeed(
      fleet.api.post<ResourceView>('/v1/machines', { name, engine: { url: `fake://${name}` }, labels: { pool } }),
    );
  const group = (pool: string, count: number) => ({ count, machineSelector: { pool } });
  const isActive = async (clusterId: string, count: number): Promise<boolean> => {
    const { status } = await fleet.api.read<ResourceView>(`/v1/clusters/${clusterId}`);
    const nodes: readonly NodeView[] = await fleet.nodes(clusterId);
    return status === 'ACTIVE' && nodes.length === count && nodes.every(node => node.status === 'ACTIVE');
  };
  const becomesActive = (clusterId: string, count: number): Promise<unknown> =>
    eventually(() => isActive(clusterId, count), { timeoutMs: TIMEOUT_MS, what: 'the cluster is ACTIVE' });

  it('a group that has failed for want of a machine is completed by one, without a request', async () => {
    const answer = await fleet.ask({}, [group('late', 1)]);
    const { status } = await fleet.api.operation(operationIdOf(expectStatus(answer, 202)) ?? '', TIMEOUT_MS);
    expect(status).toBe('FAILED');
    await register('late-1', 'late');
    await becomesActive(answer.body.id, 1);
  });

  it('a drain that found no other machine continues with the next one', async () => {
    const first = await register('spare-1', 'spare');
    const { id } = await fleet.cluster({}, [group('spare', 1)]);
    const drain = operationIdOf(expectStatus(await fleet.api.post(`/v1/machines/${first.id}/actions/drain`), 202));
    await eventually(async () => (await fleet.api.read<ResourceView>(`/v1/clusters/${id}`)).status === 'DEGRADED', {
      timeoutMs: TIMEOUT_MS,
      what: 'the successor has failed for want of a machine',
    });
    await register('spare-2', 'spare');
    expect((await fleet.api.operation(drain ?? '', TIMEOUT_MS)).status).toBe('SUCCEEDED');
    await becomesActive(id, 1);
    expect((await fleet.api.read<ResourceView>(`/v1/machines/${first.id}`)).status).toBe('MAINTENANCE');
  });
});
