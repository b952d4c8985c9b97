import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { aResource, GatewayStub } from '../testing/gateway-stub.js';
import { encodingOf } from './compression.js';

interface Received {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
}

/** Sends a request without the decompression of `fetch`. */
const receive = (url: string, accepted: string | undefined): Promise<Received> =>
  new Promise((resolve, reject) => {
    const headers = {
      authorization: 'Bearer admin',
      ...(accepted === undefined ? {} : { 'accept-encoding': accepted }),
    };
    const sent = request(url, { headers }, answer => {
      const pieces: Buffer[] = [];
      answer.on('data', (piece: Buffer) => pieces.push(piece));
      answer.on('end', () => resolve({ headers: answer.headers, bytes: Buffer.concat(pieces) }));
    });
    sent.on('error', reject);
    sent.end();
  });

describe('compression', () => {
  let stub: GatewayStub;
  beforeAll(async () => {
    stub = await GatewayStub.start();
    const items = Array.from({ length: 50 }, (_, n) => aResource({ name: `cluster-${n}` }));
    stub.serve('cluster-service', 'cluster', 'list', async ({ body }) => {
      const page = items.slice(0, Number(body['limit'] ?? items.length));
      return { ok: true, data: { items: page, nextCursor: null } };
    });
    stub.serve('cluster-service', 'cluster', 'get', async () => ({ ok: true, data: aResource() }));
  });
  afterAll(() => stub.close());

  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const)('answers above 1 kB are compressed with %s and are the same', async (encoding, decompress) => {
    const plain = await receive(`${stub.url}/v1/clusters`, undefined);
    expect(plain.headers['content-encoding']).toBeUndefined();
    const { headers, bytes } = await receive(`${stub.url}/v1/clusters`, encoding);
    expect([headers['content-encoding'], headers['vary']]).toEqual([encoding, 'accept-encoding']);
    expect(headers['content-length']).toBe(String(bytes.length));
    expect(bytes.length).toBeLessThan(plain.bytes.length / 5);
    expect(decompress(bytes).equals(plain.bytes)).toBe(true);
  });

  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const)('answers of a few kB are compressed with %s and are the same', async (encoding, decompress) => {
    const plain = await receive(`${stub.url}/v1/clusters?limit=8`, undefined);
    expect(plain.bytes.length).toBeGreaterThan(1024);
    expect(plain.bytes.length).toBeLessThan(4096);
    const { headers, bytes } = await receive(`${stub.url}/v1/clusters?limit=8`, encoding);
    expect([headers['content-encoding'], headers['content-length']]).toEqual([encoding, String(bytes.length)]);
    expect(bytes.length).toBeLessThan(plain.bytes.length / 2);
    expect(decompress(bytes).equals(plain.bytes)).toBe(true);
  });

  it('short answers are sent as they are', async () => {
    const { headers, bytes } = await receive(`${stub.url}/v1/clusters/a`, 'br');
    expect(headers['content-encoding']).toBeUndefined();
    expect(JSON.parse(bytes.toString())).toMatchObject({ name: 'web' });
  });

  it('an event stream is not compressed', async () => {
    const answer = await stub.call('GET', '/v1/events?from=start', {
      headers: { accept: 'text/event-stream', 'accept-encoding': 'gzip, br' },
    });
    expect(answer.headers.get('content-encoding')).toBeNull();
    await answer.body?.cancel();
  });

  it.each([
    ['gzip, deflate, br', 'br'],
    ['gzip;q=1, br;q=0.5', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['*', 'br'],
    ['br;q=0, gzip;q=0, *', undefined],
    ['identity', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('Accept-Encoding %j chooses %s', (accepted, encoding) => expect(encodingOf(accepted)).toBe(encoding));
});
