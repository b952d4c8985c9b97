import { aDriverContext } from '@stave/driver-sdk/testing';
import { HeatClient } from '../heat/heat-client.js';
import { startCloud, type Scripted, type Seen } from '../testing/scripted-cloud.fixture.js';
import { CloudSession, type ServiceRequest } from './cloud-session.js';

type Cloud = Awaited<ReturnType<typeof startCloud>>;

const stored = new Map<string, string>();
const secrets = {
  get: async (name: string) => stored.get(name),
  put: async (name: string, value: string) => void stored.set(name, value),
  delete: async (name: string) => void stored.delete(name),
};
const request: ServiceRequest = {
  ...{ service: 'orchestration', method: 'GET', path: '/stacks', secrets },
  signal: new AbortController().signal,
} as const;
const ok: Scripted = { status: 200, body: { stacks: [] } };

let cloud: Cloud;
beforeEach(() => stored.clear());
afterEach(() => cloud.close());

describe('a session of a cloud', () => {
  it('logs in once for requests at the same time, and keeps the token as a secret', async () => {
    cloud = await startCloud(() => ok);
    const session = new CloudSession(cloud.settings);
    await Promise.all([1, 2, 3, 4].map(() => session.send(request)));
    expect(cloud.logins()).toBe(1);
    expect(cloud.seen.map(seen => seen.token)).toEqual(['token-1', 'token-1', 'token-1', 'token-1']);
    expect([...stored.values()]).toEqual(['token-1']);
  });

  it('logs in again when a service refuses the token, and sends the request again', async () => {
    cloud = await startCloud(({ token }) => (token === 'token-1' ? { status: 401 } : ok));
    const session = new CloudSession(cloud.settings);
    expect(await session.send({ ...request, method: 'POST', body: { a: 1 } })).toMatchObject({ status: 200 });
    expect(cloud.seen.map(({ token, body }) => ({ token, body }))).toEqual([
      { token: 'token-1', body: '{"a":1}' },
      { token: 'token-2', body: '{"a":1}' },
    ]);
  });

  it('is refused permanently when a new token is refused, too', async () => {
    cloud = await startCloud(() => ({ status: 401 }));
    await expect(new CloudSession(cloud.settings).send(request)).rejects.toMatchObject({ failure: 'permanent' });
    expect(cloud.logins()).toBe(2);
  });

  it('logs in again before its token expires, and the store forgets the former one', async () => {
    cloud = await startCloud(() => ok, 100);
    let now = Date.now();
    const session = new CloudSession(cloud.settings, () => now);
    await session.send(request);
    now += 60_000;
    await session.send(request);
    now += 20_000;
    await session.send(request);
    expect(cloud.seen.map(seen => seen.token)).toEqual(['token-1', 'token-1', 'token-2']);
    expect([...stored.values()]).toEqual(['token-2']);
  });

  it('uses the endpoint of its region', async () => {
    cloud = await startCloud(() => ok);
    await new CloudSession({ ...cloud.settings, region: 'two' }).send(request);
    expect(cloud.seen.map(seen => seen.path)).toEqual(['/two/stacks']);
  });

  it('a refused login is permanent, its message names no value, and a later request tries again', async () => {
    cloud = await startCloud(() => ok);
    const session = new CloudSession({ ...cloud.settings, password: 'wrong' });
    await expect(session.send(request)).rejects.toMatchObject({
      failure: 'permanent',
      message: expect.not.stringContaining('wrong'),
    });
    await expect(session.send(request)).rejects.toMatchObject({ failure: 'permanent' });
    expect(cloud.logins()).toBe(2);
  });

  it('a cloud that is not there is transient', async () => {
    cloud = await startCloud(() => ok);
    await cloud.close();
    await expect(new CloudSession(cloud.settings).send(request)).rejects.toMatchObject({ failure: 'transient' });
  });
});

describe('the client of Heat', () => {
  const ctx = aDriverContext();
  const stack = { name: 's', id: '1' };
  const client = async (answer: (seen: Seen) => Scripted | undefined): Promise<HeatClient> => {
    cloud = await startCloud(answer);
    return new HeatClient(new CloudSession(cloud.settings));
  };

  it('reads all pages of a list, leaves out what is deleted, and refuses a list without a tag', async () => {
    const all = Array.from({ length: 401 }, (_, index) => ({
      ...{ id: `id-${index}`, stack_name: `s-${index}`, tags: ['a=b=c', 'plain'] },
      stack_status: index === 7 ? 'DELETE_COMPLETE' : 'CREATE_COMPLETE',
    }));
    const heat = await client(({ path }) => {
      const query = new URL(path, 'http://x').searchParams;
      expect(query.get('tags')).toBe('a=b=c');
      const start = all.findIndex(({ id }) => id === query.get('marker')) + 1;
      return { status: 200, body: { stacks: all.slice(start, start + Number(query.get('limit'))) } };
    });
    const found = await heat.list(ctx, { a: 'b=c' });
    expect(found).toHaveLength(400);
    expect(found[0]).toMatchObject({ id: 'id-0', tags: { a: 'b=c' }, action: 'CREATE', progress: 'COMPLETE' });
    expect(cloud.seen).toHaveLength(3);
    await expect(heat.list(ctx, {})).rejects.toThrow(RangeError);
  });

  it.each([
    [404, 'notFound'],
    [409, 'conflict'],
    [429, 'transient'],
    [500, 'transient'],
    [503, 'transient'],
    [400, 'permanent'],
    [403, 'permanent'],
  ])('an answer with status %d is %s', async (status, failure) => {
    const heat = await client(() => ({ status, body: { error: { message: 'because', traceback: 'at line 5' } } }));
    const refused = heat.resume(ctx, stack);
    await expect(refused).rejects.toMatchObject({ failure, message: expect.stringContaining('because') });
    await expect(refused).rejects.not.toThrow('line 5');
  });

  it('errors as HTML have their status, and an answer that is no JSON is transient', async () => {
    const heat = await client(({ method }) => ({ status: method === 'GET' ? 200 : 502, body: '<html>' }));
    await expect(heat.resume(ctx, stack)).rejects.toMatchObject({
      failure: 'transient',
      message: expect.stringContaining('502'),
    });
    await expect(heat.get(ctx, stack)).rejects.toMatchObject({ failure: 'transient' });
  });

  it('a missing stack is undefined, deleted already, and without events', async () => {
    const heat = await client(() => ({ status: 404 }));
    expect(await heat.get(ctx, stack)).toBeUndefined();
    await heat.delete(ctx, stack);
    expect(await heat.newestEvent(ctx, stack)).toBeUndefined();
  });

  it('every change has a checkpoint before it, and nothing is sent when that throws', async () => {
    const heat = await client(() => ({ status: 200, body: { stack: { id: '1' } } }));
    const lost = aDriverContext({
      checkpoint: () => {
        throw new Error('the session is lost');
      },
    });
    const content = { template: {} };
    const changes = [
      () => heat.create(lost, 's', content),
      () => heat.update(lost, stack, content),
      () => heat.resume(lost, stack),
      () => heat.check(lost, stack),
      () => heat.delete(lost, stack),
    ];
    for (const change of changes) await expect(change()).rejects.toThrow('the session is lost');
    expect(cloud.seen).toEqual([]);
  });

  it('a request ends when its signal fires', async () => {
    const controller = new AbortController();
    const heat = await client(() => {
      controller.abort();
      return undefined;
    });
    const stopped = aDriverContext({ signal: controller.signal });
    await expect(heat.get(stopped, stack)).rejects.toMatchObject({ failure: 'transient' });
  });
});
