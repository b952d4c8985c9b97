import { connect } from 'node:net';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { createLogger } from '@stave/platform';
import { GatewayStub } from './testing/gateway-stub.js';

/** The most bytes of a log line. */
const LONGEST = 8_193;

describe('what clients cause in the log of the gateway', () => {
  const lines: string[] = [];
  let stub: GatewayStub;
  beforeAll(async () => {
    const log = createLogger('api-gateway', 'info', { write: line => void lines.push(line) });
    stub = await GatewayStub.start({ log });
    stub.serve('cluster-service', 'ring', 'get', () => ({
      ok: false,
      error: { code: 'internal', kind: 'internal', detail: 'an internal error' },
    }));
    lines.splice(0);
  });
  afterAll(() => stub.close());
  beforeEach(() => void lines.splice(0));

  async function send(sent: string): Promise<string> {
    const { hostname, port } = new URL(stub.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(sent);
    return text(socket);
  }
  const get = (path: string, header = ''): Promise<string> =>
    send(`GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer member\r\n${header}Connection: close\r\n\r\n`);

  it('is nothing for requests that are refused', async () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`x${i}`, 'a\nb']));
    await stub.call('POST', '/v1/clusters', { body: many });
    for (const key of [null, 'unknown\tkey', 'reader']) await stub.call('POST', '/v1/clusters', { key, body: {} });
    await get(`/v1/${'a'.repeat(12_000)}`);
    await get('/v1/pods%0A%7B%22level%22%3A60%7D');
    await get('/v1/%zz');
    await get('/v1/clusters?x=%0Afatal', 'X-Correlation-Id: a\tb\r\n');
    await send('rubbish\r\n\r\n');
    await send(`GET / HTTP/1.1\r\nA: ${'a'.repeat(100_000)}\r\n\r\n`);
    expect(lines).toEqual([]);
  });

  it('is nothing for what anybody may send without a credential', async () => {
    expect((await stub.call('POST', '/v1/auth/logout', { key: null })).status).toBe(204);
    expect(lines).toEqual([]);
  });

  it('is one bounded line for a request that fails, which its text neither breaks nor forges', async () => {
    const key = `a%0A%7B%22level%22%3A60%7D${'a'.repeat(1_000)}`;
    const answer = await get(`/v1/rings/${key}`, 'X-Correlation-Id: fine-1\r\n');
    expect(answer).toMatch(/^HTTP\/1.1 500 /);
    expect(lines).toHaveLength(1);
    const [line = ''] = lines;
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(LONGEST);
    expect(line.indexOf('\n')).toBe(line.length - 1);
    expect(JSON.parse(line)).toMatchObject({ level: 50, correlationId: 'fine-1', msg: 'request failed' });
  });
});
