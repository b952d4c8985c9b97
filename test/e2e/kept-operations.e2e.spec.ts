import { eventually, expectProblem, expectStatus, type OperationView } from '@stave/testing';
import { startDistributedProduct } from './distributed-product.js';
import { Fleet } from './fleet.js';
import { EmbeddedStack, type Stack } from './stack.js';

jest.setTimeout(240_000);

const KEPT_MS = 4_000;
const env = { OPERATIONS_KEPT: `${KEPT_MS / 1_000}s` };
const ROUNDS = 12;

interface Ended extends OperationView {
  readonly finishedAt?: string;
}

/** The events of an operation in the history of its target. */
async function typesOf({ api }: Fleet, cluster: string, operation: string): Promise<readonly string[]> {
  const path = `/v1/clusters/${cluster}/events?limit=500`;
  const events = await api.list<{ readonly type: string; readonly operationid?: string }>(path);
  return events.filter(({ operationid }) => operationid === operation).map(({ type }) => type);
}

describe.each([
  ['in one process', () => EmbeddedStack.start(undefined, env)],
  ['in separate processes', () => startDistributedProduct({ env })],
])('operations of the product %s are listed for OPERATIONS_KEPT', (_, start: () => Promise<Stack>) => {
  let stack: Stack;
  let fleet: Fleet;
  beforeAll(async () => (fleet = new Fleet((stack = await start()))));
  afterAll(() => stack.close());

  const listed = (): Promise<readonly Ended[]> => fleet.api.list<Ended>('/v1/operations?limit=500');

  it('under churn only those are listed that run or ended within the time; their history stays', async () => {
    const created: [cluster: string, operation: string][] = [];
    let most = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const { id, operationId = '' } = await fleet.cluster({}, [{ count: 1 }]);
      await fleet.api.succeed(fleet.api.delete(`/v1/clusters/${id}`));
      created.push([id, operationId]);
      // the sweep comes every second, and the clocks of the processes are one
      const oldest = Date.now() - KEPT_MS - 5_000;
      const all = await listed();
      most = Math.max(most, all.length);
      expect(all.filter(({ finishedAt }) => finishedAt !== undefined && Date.parse(finishedAt) < oldest)).toEqual([]);
    }
    expect(most).toBeGreaterThan(0);
    await eventually(async () => (await listed()).length === 0, { timeoutMs: 30_000, what: 'no operation is listed' });
    for (const [cluster, operation] of created.slice(0, 3)) {
      expectProblem(await fleet.api.get(`/v1/operations/${operation}`), 404);
      expect(await typesOf(fleet, cluster, operation)).toEqual(
        expect.arrayContaining(['stave.cluster.created.v1', 'stave.cluster.operationEnded.v1']),
      );
    }
  });

  it('an operation that runs longer than the time is listed until it has ended, and for the time afterwards', async () => {
    const { operationId = '' } = expectStatus(await fleet.ask({ options: { latencyMs: 3 * KEPT_MS } }, []), 202).body;
    const begun = performance.now();
    const shown = async (): Promise<Ended | undefined> => (await listed()).find(({ id }) => id === operationId);
    await eventually(async () => (await shown())?.status === 'RUNNING', { what: 'the operation runs' });
    await eventually(async () => (await shown())?.status === 'SUCCEEDED', {
      timeoutMs: 60_000,
      what: 'it is listed at its end',
    });
    expect(performance.now() - begun).toBeGreaterThan(2 * KEPT_MS);
    await eventually(async () => (await shown()) === undefined, { timeoutMs: 30_000, what: 'it is listed no more' });
  });
});

it('what is not listed any more stays so after a restart', async () => {
  const before = await EmbeddedStack.start(undefined, env);
  const { id, operationId = '' } = await new Fleet(before).cluster({}, []);
  await eventually(async () => (await new Fleet(before).api.list('/v1/operations')).length === 0, {
    timeoutMs: 30_000,
  });
  await before.end('SIGKILL');
  const after = await EmbeddedStack.start(before.dataDir, env);
  const { api } = new Fleet(after);
  await eventually(async () => (await api.list('/v1/operations')).length === 0, { timeoutMs: 30_000 });
  expectProblem(await api.get(`/v1/operations/${operationId}`), 404);
  expect(await typesOf(new Fleet(after), id, operationId)).toContain('stave.cluster.created.v1');
  await after.close();
});
