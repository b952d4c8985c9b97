import { eventually, expectStatus, operationIdOf, StaveClient } from '@stave/testing';
import { EmbeddedStack } from './stack.js';

jest.setTimeout(240_000);

type Line = Readonly<Record<string, unknown>>;

describe('the log of a running product', () => {
  let stack: EmbeddedStack;
  let client: StaveClient;
  beforeAll(async () => {
    stack = await EmbeddedStack.start(undefined, { LOG_LEVEL: 'info' });
    client = new StaveClient(stack.url, stack.adminKey);
  });
  afterAll(() => stack?.close());

  /** The lines at the end of the log; the first one may have lost its begin. */
  const lines = (): readonly Line[] =>
    stack.recentLog
      .split('\n')
      .filter(text => text.startsWith('{') && text.endsWith('}'))
      .map(text => JSON.parse(text) as Line);
  const correlationOf = ({ headers }: { readonly headers: Headers }): string => headers.get('x-correlation-id') ?? '';
  const requestsOf = (id: string): readonly Line[] =>
    lines().filter(({ msg, correlationId }) => msg === 'request' && correlationId === id);

  it('has one line for a change with its correlation id, and one for each task that ends with that of its events, which is its operation', async () => {
    const flavor = { cpus: 1, memoryMb: 512 };
    const nodeGroups = [{ name: 'w', role: 'worker', count: 1, flavor }];
    const answer = expectStatus(await client.post('/v1/clusters', { name: 'logged', driver: 'fake', nodeGroups }), 202);
    const id = correlationOf(answer);
    const operation = operationIdOf(answer) ?? '';
    await client.operation(operation, 120_000);
    await eventually(() => requestsOf(id).length > 0, 'the line of the request');
    expect(requestsOf(id)).toMatchObject([{ method: 'POST', route: '/v1/clusters', status: 202 }]);
    const ended = await eventually(() => {
      const found = lines().filter(({ msg, operationId }) => msg === 'task ended' && operationId === operation);
      return found.length > 0 && found;
    }, 'the line of a task');
    expect(ended).toContainEqual(expect.objectContaining({ outcome: 'done', correlationId: operation }));
  });

  it('becomes more with SIGUSR2 while the process runs, and as before with another one', async () => {
    const read = async (): Promise<string> => correlationOf(expectStatus(await client.get('/v1/clusters'), 200));
    const before = await read();
    stack.signal('SIGUSR2');
    await eventually(() => stack.recentLog.includes('everything from debug on is logged'), 'details are logged');
    const during = await read();
    await eventually(() => requestsOf(during).length === 1, 'the line of a read');
    stack.signal('SIGUSR2');
    await eventually(() => stack.recentLog.includes('the log has the level of LOG_LEVEL again'), 'details are over');
    const after = await read();
    expectStatus(await client.post('/v1/cluster-templates', { name: 'afterwards' }), 201);
    await eventually(() => lines().some(({ route }) => route === '/v1/cluster-templates'), 'the line of a change');
    expect([before, after].flatMap(requestsOf)).toEqual([]);
  });
});
