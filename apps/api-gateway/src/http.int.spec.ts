import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { eventually } from '@stave/platform/testing';
import { problemIn } from './testing/answers.js';
import { GatewayStub } from './testing/gateway-stub.js';

/** More than the buffers of a connection take. */
const manyLarge = 'GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(12);
const head = (method: string, path: string): string =>
  `${method} ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer admin\r\nContent-Type: application/json`;

describe('gateway: HTTP', () => {
  let stub: GatewayStub;
  beforeAll(
    async () => (stub = await GatewayStub.start({ headersTimeoutMs: 300, receiveTimeoutMs: 700, readTimeoutMs: 500 })),
  );
  afterAll(() => stub.close());

  async function connected(sent: string): Promise<Socket> {
    const { hostname, port } = new URL(stub.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(sent);
    return socket;
  }
  /** Returns what the gateway sends until it closes the connection. */
  const answerTo = async (sent: string): Promise<string> => text(await connected(sent));

  function expectProblem(answer: string, status: number, code: string): void {
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head.toLowerCase()).toContain('content-type: application/problem+json');
    expect(head.toLowerCase()).toContain('x-content-type-options: nosniff');
    const problem: unknown = JSON.parse(body);
    expect(problem).toMatchObject({ status, code, type: `/problems/${code}`, correlationId: expect.any(String) });
  }

  it.each([
    ['PUT', '/v1/clusters', 'GET, HEAD, POST'],
    ['OPTIONS', '/v1/clusters/web', 'DELETE, GET, HEAD, PATCH'],
    ['DELETE', '/openapi.json', 'GET, HEAD'],
    ['GET', '/v1/clusters/web/actions/rebuild', 'POST'],
    ['TRACE', '/v1/nodes/n?x=1', 'DELETE, GET, HEAD'],
    ['POST', '/help', 'GET, HEAD'],
    ['DELETE', '/help/assets/app.js', 'GET, HEAD'],
    ['POST', '/docs/', 'GET, HEAD'],
    ['PUT', '/console/clusters', 'GET, HEAD'],
  ])('answers 405 with Allow to %s %s', async (method, path, allow) => {
    const answer = await answerTo(`${method} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    expectProblem(answer, 405, 'method-not-allowed');
    expect(/^allow: (.*)$/im.exec(answer)?.[1]?.trim()).toBe(allow);
  });

  it('leads from /docs/ to the page of the API', async () => {
    const answer = await fetch(`${stub.url}/docs/`, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([308, '/docs']);
  });

  it('names every parameter that has no effect on an event stream', async () => {
    const headers = { accept: 'text/event-stream' };
    const answer = await stub.call('GET', '/v1/events?until=7&limit=3', { headers });
    expect(answer.status).toBe(400);
    const { errors = [] } = (await problemIn(answer)) as { errors?: readonly { pointer: string }[] };
    expect(errors.map(({ pointer }) => pointer)).toEqual(['?limit', '?until']);
  });

  it('answers the detachment of a policy without a tag', async () => {
    const resource = { id: 'p', revision: 0, projectId: null };
    stub.serve('container-scheduler', 'policy', 'detach', () => ({ ok: true, data: { resource } }));
    const answer = await stub.call('DELETE', '/v1/clusters/web/policies/fill');
    expect([answer.status, answer.headers.get('etag')]).toEqual([204, null]);
    stub.seen.length = 0;
  });

  it('names the parameter of a control character, and not a name in it', async () => {
    const answer = await stub.call('GET', '/v1/auth/login?returnTo=/%09x', { key: null });
    expect(answer.status).toBe(400);
    expect(await problemIn(answer)).toMatchObject({ detail: '?returnTo has a control character' });
  });

  it('answers 404 to an unknown path, whatever the method', async () => {
    const answer = await stub.call('PUT', '/v1/pods', { body: {} });
    expect([answer.status, (await problemIn(answer)).code]).toEqual([404, 'unknown-route']);
  });

  it.each([
    ['what is not HTTP', 'rubbish\r\n\r\n', 400, 'malformed-request'],
    ['an unknown method', 'FLY /v1/clusters HTTP/1.1\r\nHost: a\r\n\r\n', 400, 'malformed-request'],
    ['headers of 100 KB', `GET / HTTP/1.1\r\nHost: a\r\nA: ${'a'.repeat(100_000)}\r\n\r\n`, 431, 'headers-too-large'],
    [
      'a request with two lengths',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
      'malformed-request',
    ],
  ])('answers a problem document to %s', async (_, sent, status, code) => {
    expectProblem(await answerTo(sent), status, code);
  });

  it.each([
    ['without Host', 'GET /v1/whoami HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'host-required'],
    [
      'with an expectation that is not known',
      'GET /v1/whoami HTTP/1.1\r\nHost: a\r\nExpect: 200-ok\r\nConnection: close\r\n\r\n',
      417,
      'expectation-failed',
    ],
    ['that asks for a tunnel', 'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n', 405, 'method-not-allowed'],
  ])('answers a problem document to a request %s', async (_, sent, status, code) => {
    expectProblem(await answerTo(sent), status, code);
  });

  it('asks for the body of a request that expects it only after the key is verified', async () => {
    const first = async (key: string): Promise<string> => {
      const head = `POST /v1/clusters HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nExpect: 100-continue`;
      const socket = await connected(`${head}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n`);
      const [answer] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();
      return answer.toString().split('\r\n')[0] ?? '';
    };
    expect(await first('nobody')).toBe('HTTP/1.1 401 Unauthorized');
    expect(await first('member')).toBe('HTTP/1.1 100 Continue');
  });

  it('cuts a client that sends its headers slowly, with 408', async () => {
    expectProblem(await answerTo('GET /v1/clusters HTTP/1.1\r\nHost: a\r\nX-Slow: 1'), 408, 'request-timeout');
  });

  it('cuts a client that sends its body slowly', async () => {
    const head =
      'POST /v1/clusters HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer member\r\nContent-Type: application/json';
    expectProblem(await answerTo(`${head}\r\nContent-Length: 100\r\n\r\n{"driver"`), 408, 'request-timeout');
    expect(stub.seen).toEqual([]);
  });

  it.each([
    ['without a key', '', 401],
    ['with a key that may not', 'Authorization: Bearer reader\r\n', 403],
  ])('refuses a request %s before its body arrives', async (_, key, status) => {
    const head = `POST /v1/clusters HTTP/1.1\r\nHost: a\r\n${key}Content-Type: application/json\r\n`;
    const socket = await connected(`${head}Content-Length: 200000\r\n\r\n{`);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    socket.destroy();
  });

  it.each(['/v1/whoami', '/v1/nothing', '/healthz', '/openapi.json', '/docs', '/metrics', '/v1/clusters'])(
    'answers %s with no-store and nosniff',
    async path => {
      const { headers } = await stub.call('GET', path);
      expect([headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual(['no-store', 'nosniff']);
    },
  );

  it('answers an event stream with no-store and nosniff', async () => {
    const socket = await connected('GET /v1/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer member\r\n\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^Cache-Control: no-store/im);
    expect(answer.toString()).toMatch(/^X-Content-Type-Options: nosniff/im);
    socket.destroy();
  });

  async function notReading(sent: string): Promise<Socket> {
    const socket = await connected('');
    socket.pause().on('error', () => undefined);
    socket.write(sent);
    return socket;
  }

  it('cuts a client that does not read its answers', async () => {
    const socket = await notReading(manyLarge);
    // only a write shows a client that does not read that it was cut
    await eventually(() => socket.destroyed || !socket.write('\r\n') || socket.destroyed, 'the client is cut');
  });

  it.each([
    ['has not sent a request', ''],
    ['does not send the body of its request', `${head('POST', '/v1/clusters')}\r\nContent-Length: 9\r\n\r\n{`],
    ['does not read its answers', manyLarge],
    ['reads events and nothing else', `${head('GET', '/v1/events')}\r\n\r\n`],
  ])('closes in bounded time although a client %s', async (_, sent) => {
    const other = await GatewayStub.start({ requestTimeoutMs: 1_000 });
    const { hostname, port } = new URL(other.url);
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    await once(socket, 'connect');
    socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(socket, 'data');
    const unused = connect(Number(port), hostname).on('error', () => undefined);
    await once(unused, 'connect');
    socket.pause().write(sent);
    await other.call('GET', '/healthz'); // what was sent before has arrived
    const begun = performance.now();
    await other.close();
    expect(performance.now() - begun).toBeLessThan(4_000);
    socket.destroy();
    unused.destroy();
  });

  it('a request that arrives on an open connection while the gateway closes is answered, and ends the connection', async () => {
    const other = await GatewayStub.start();
    let end: () => void = () => undefined;
    const mayEnd = new Promise<void>(resolve => (end = resolve));
    const begun = new Promise<void>(resolve =>
      other.serve('cluster-service', 'cluster', 'get', async () => {
        resolve();
        await mayEnd;
        return { ok: true, data: {} };
      }),
    );
    const { hostname, port } = new URL(other.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const answers = text(socket);
    socket.write(`${head('GET', '/v1/clusters/web')}\r\n\r\n`);
    await begun;
    const closed = other.close();
    // what listens no longer is closing
    await eventually(async () => {
      const probe = connect(Number(port), hostname);
      const isRefused = await once(probe, 'connect').then(
        () => false,
        () => true,
      );
      probe.destroy();
      return isRefused;
    }, 'the gateway accepts no more connections');
    socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
    await eventually(() => socket.writableLength === 0, 'the request is sent');
    end();
    const received = (await answers).match(/http\/1.1 \d+|^connection: \S+/gim)?.map(line => line.toLowerCase());
    expect(received).toEqual(['http/1.1 200', 'connection: keep-alive', 'http/1.1 200', 'connection: close']);
    await closed;
  });

  it('refuses more requests on a connection than it may have without reading their answers', async () => {
    const one = head('GET', '/v1/operations/none?wait=1s');
    const answers = await answerTo(`${one}\r\n\r\n`.repeat(19) + `${one}\r\nConnection: close\r\n\r\n`);
    expect(answers.match(/"code":"too-many-requests-at-once"/g)).toHaveLength(4);
  });

  it('lists at most 100 errors in a problem and counts the others', async () => {
    const body = Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`x${i}`, 1]));
    const problem = await problemIn(await stub.call('POST', '/v1/clusters', { body: { driver: 'fake', ...body } }));
    expect([problem.status, problem.errors?.length, problem['moreErrors']]).toEqual([400, 100, 150]);
  });
});
