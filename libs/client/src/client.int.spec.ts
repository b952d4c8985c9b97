import { inspect } from 'node:util';
import { ConnectionError, ProblemError, StaveClient, StaveError, type ClientOptions } from './index.js';
import { cut, cutInBody, json, problem, ScriptedServer, silence, type Reply } from './scripted-server.fixture.js';

const TOKEN = 'stv_secret_token';
const retry = { delayMs: 1 };
const path = { id: 'shop' };
let server: ScriptedServer;
afterEach(() => server?.close());

async function clientOf(replies: Reply[], options: Partial<ClientOptions> = {}): Promise<StaveClient> {
  server = await ScriptedServer.start(...replies);
  return new StaveClient({ url: server.url, token: TOKEN, retry, ...options });
}

const keys = (): unknown[] => server.requests.map(({ headers }) => headers['idempotency-key']);

async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Error);
  // no error shows the credential, in whatever way it is printed
  expect(`${String(error)} ${inspect(error, { depth: 20, showHidden: true })}`).not.toContain(TOKEN);
  return error;
}

describe('a request of the client', () => {
  it('a change is sent with its body, the credential and an idempotency key, and its answer names the operation', async () => {
    const headers = { location: '/v1/operations/c-7', etag: '"3"', 'stave-position': '41', 'x-correlation-id': 'c' };
    const stave = await clientOf([json({ id: 'a' }, headers, 202)]);
    const answer = await stave.patch('/v1/clusters/{id}', { path: { id: 'a b/c' }, body: { description: 'x' } });
    expect(answer).toMatchObject({ status: 202, etag: '"3"', operationId: 'c-7', position: 41, data: { id: 'a' } });
    expect(server.requests).toMatchObject([
      {
        method: 'PATCH',
        url: '/v1/clusters/a%20b%2Fc',
        body: '{"description":"x"}',
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      },
    ]);
    expect(keys()).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
  });

  it('two changes have different idempotency keys', async () => {
    const stave = await clientOf([json({})]);
    await stave.delete('/v1/clusters/{id}', { path });
    await stave.delete('/v1/clusters/{id}', { path });
    expect(new Set(keys()).size).toBe(2);
  });

  it('filters, labels and names with a tilde are sent in the query', async () => {
    const stave = await clientOf([json({ items: [], nextCursor: null })]);
    await stave.get('/v1/clusters', { query: { 'name~': 'we&b', labels: { 'labels.env': 'prod' }, limit: 5 } });
    expect(Object.fromEntries(new URL(server.requests[0]?.url ?? '', server.url).searchParams)).toEqual({
      'name~': 'we&b',
      'labels.env': 'prod',
      limit: '5',
    });
    expect(keys()).toEqual([undefined]);
  });

  it('a change sends the ETag or the revision that it requires', async () => {
    const stave = await clientOf([json({}, { etag: '"3"' })]);
    const { etag } = await stave.get('/v1/clusters/{id}', { path });
    await stave.patch('/v1/clusters/{id}', { path, body: {}, ifMatch: etag });
    await stave.patch('/v1/clusters/{id}', { path, body: {}, ifMatch: 4 });
    expect(server.requests.map(({ headers }) => headers['if-match'])).toEqual([undefined, '"3"', '"4"']);
  });

  it('a read after a change asks for the position of the change, and never for a lower one', async () => {
    const stave = await clientOf([json({}, { 'stave-position': '41' }), json({}, { 'stave-position': '7' }), json({})]);
    await stave.delete('/v1/clusters/{id}', { path });
    await stave.get('/v1/whoami');
    await stave.get('/v1/whoami');
    expect(server.requests.map(({ headers }) => headers['stave-min-position'])).toEqual([undefined, '41', '41']);
  });

  it('a read shows what an event has named, and never less', async () => {
    const stave = await clientOf([json({}), json({})]);
    stave.seen(52);
    await stave.get('/v1/whoami');
    stave.seen(13);
    await stave.get('/v1/whoami');
    expect(server.requests.map(({ headers }) => headers['stave-min-position'])).toEqual(['52', '52']);
  });

  it('a token that is a function is read before each attempt', async () => {
    const tokens = ['one', 'two'];
    const stave = await clientOf([cut, json({})], { token: () => Promise.resolve(tokens.shift() ?? '') });
    await stave.get('/v1/whoami');
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer one', 'Bearer two']);
  });
});

describe('repeats of the client', () => {
  it.each([
    ['a refusal with 429', problem(429, 'rate-limited', { 'retry-after': '0' })],
    ['a refusal with 503', problem(503, 'dependency-timeout', { 'retry-after': '0' })],
    ['a page of a proxy with 502', (response => void response.writeHead(502).end('<html>')) satisfies Reply],
    ['a connection that is cut before the answer', cut],
    ['a connection that is cut in the body', cutInBody],
  ])('a change is repeated with the same idempotency key after %s', async (_, reply) => {
    const stave = await clientOf([reply, reply, json({ id: 'a' }, {}, 201)]);
    const body = { name: 'shop', driver: 'fake' };
    await expect(stave.post('/v1/clusters', { body })).resolves.toMatchObject({ status: 201 });
    expect(new Set(server.requests.map(({ body: sent }) => sent))).toEqual(new Set([JSON.stringify(body)]));
    expect(keys()).toHaveLength(3);
    expect(new Set(keys()).size).toBe(1);
  });

  it('a request is repeated only when the time of Retry-After has passed', async () => {
    const stave = await clientOf([problem(429, 'rate-limited', { 'retry-after': '1' }), json({})]);
    const started = performance.now();
    await stave.get('/v1/whoami');
    // timers of Node can fire up to a millisecond early
    expect(performance.now() - started).toBeGreaterThan(995);
  });

  it('a refusal whose Retry-After is longer than the longest pause is not repeated', async () => {
    const stave = await clientOf([problem(503, 'unavailable', { 'retry-after': '120' })]);
    expect(await errorOf(stave.get('/v1/whoami'))).toMatchObject({ code: 'unavailable', retryAfterMs: 120_000 });
    expect(server.requests).toHaveLength(1);
  });

  it.each([400, 401, 403, 404, 409, 412, 422, 500])('a refusal with %i is not repeated', async status => {
    const stave = await clientOf([problem(status, 'refused')]);
    expect(await errorOf(stave.get('/v1/whoami'))).toMatchObject({ status, code: 'refused' });
    expect(server.requests).toHaveLength(1);
  });

  it('the last error is thrown after the most attempts', async () => {
    const stave = await clientOf([cut], { retry: { delayMs: 1, attempts: 3 } });
    const call = stave.post('/v1/clusters', { body: { driver: 'fake' }, idempotencyKey: 'k' });
    const error = await errorOf(call);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ idempotencyKey: 'k', message: expect.stringContaining('POST /v1/clusters') });
    expect(server.requests).toHaveLength(3);
  });

  it('a server that does not answer in time counts as unreachable', async () => {
    const stave = await clientOf([silence], { retry: { delayMs: 1, attempts: 2 }, timeoutMs: 50 });
    expect(await errorOf(stave.get('/v1/whoami'))).toMatchObject({ name: 'ConnectionError', reason: 'timeout' });
    expect(server.requests).toHaveLength(2);
  });

  it('a signal ends a request and the pause before the next attempt, with its own reason', async () => {
    const waiting = new AbortController();
    const stave = await clientOf([
      response => {
        problem(429, 'rate-limited', { 'retry-after': '50' })(response, response.req);
        response.on('close', () => waiting.abort(new Error('stopped')));
      },
    ]);
    await expect(stave.get('/v1/whoami', { signal: waiting.signal })).rejects.toThrow('stopped');
    await expect(stave.get('/v1/whoami', { signal: waiting.signal })).rejects.toThrow('stopped');
    expect(server.requests).toHaveLength(1);
  });
});

describe('errors of the client', () => {
  it('a refusal shows every wrong field, the code and the correlation id', async () => {
    const errors = [
      { pointer: '/driver', code: 'required', detail: 'is required' },
      { pointer: '/nodeGroups/1/count', code: 'out-of-range', detail: 'must be 0 or more' },
    ];
    const stave = await clientOf([problem(400, 'validation-failed', {}, { errors, candidates: ['a'] })]);
    const error = await errorOf(stave.get('/v1/whoami'));
    expect(error).toBeInstanceOf(ProblemError);
    expect(error).toMatchObject({ errors, problem: { candidates: ['a'] }, status: 400 });
    expect(String(error)).toMatch(/validation-failed.*c-1.*\/driver: is required.*\/nodeGroups\/1\/count/s);
  });

  it('an answer that is not from the API is a refusal without its text', async () => {
    const stave = await clientOf([response => void response.writeHead(404).end(`<html>${TOKEN}</html>`)]);
    expect(await errorOf(stave.get('/v1/whoami'))).toMatchObject({ code: 'http-404', status: 404 });
  });

  it('a redirect is not followed, so that the credential stays with its server', async () => {
    const stave = await clientOf([response => void response.writeHead(302, { location: '/other' }).end()]);
    expect(await errorOf(stave.get('/v1/whoami'))).toMatchObject({ code: 'http-302' });
    expect(server.requests).toHaveLength(1);
  });

  it('an answer that cannot be parsed shows nothing of its text', async () => {
    const stave = await clientOf([
      response => void response.writeHead(200, { 'content-type': 'application/json' }).end(`${TOKEN}{`),
    ]);
    const error = await errorOf(stave.get('/v1/whoami'));
    expect(error).toMatchObject({ name: 'StaveError', message: expect.stringContaining('/v1/whoami') });
  });

  it('a token that cannot be a header is refused without being shown', async () => {
    const stave = await clientOf([json({})], { token: `${TOKEN}\n` });
    expect(await errorOf(stave.get('/v1/whoami'))).toBeInstanceOf(StaveError);
    expect(server.requests).toHaveLength(0);
  });

  it.each(['ftp://host', 'host', 'http://host/?a=1', `http://user:${TOKEN}@host`])(
    'the address %s is refused without being shown',
    url => {
      let message = '';
      try {
        new StaveClient({ url });
      } catch (error) {
        message = inspect(error);
      }
      expect(message).toMatch(/^StaveError|Error: url/);
      expect(message).not.toContain(TOKEN);
    },
  );

  it('the client itself shows no credential', async () => {
    const stave = await clientOf([json({})]);
    expect(inspect(stave, { depth: 20, showHidden: true }) + JSON.stringify(stave)).not.toContain(TOKEN);
  });

  it('a missing path parameter is refused before anything is sent', async () => {
    const stave = await clientOf([json({})]);
    const empty = { path: { id: '' } };
    await expect(stave.get('/v1/clusters/{id}', empty)).rejects.toThrow('needs the path parameter id');
    expect(server.requests).toHaveLength(0);
  });
});
