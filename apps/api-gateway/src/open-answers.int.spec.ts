import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { eventually } from '@stave/platform/testing';
import { problemIn } from './testing/answers.js';
import { anEvent, GatewayStub } from './testing/gateway-stub.js';

const CLIENTS = 60;

describe('gateway: limits of what clients hold open', () => {
  let stub: GatewayStub;
  const open: { destroy(): unknown }[] = [];
  afterEach(async () => {
    for (const one of open.splice(0)) one.destroy();
    await stub.close();
  });

  const begin = (key: string, path = '/v1/events'): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${key}` };
      const request = get(stub.url + path, { headers, agent: false }, resolve).on('error', reject);
      open.push(request);
    });
  const beginMany = (key: string, path?: string): Promise<readonly IncomingMessage[]> =>
    Promise.all(Array.from({ length: CLIENTS }, () => begin(key, path)));
  const withStatus = (all: readonly IncomingMessage[], status: number): readonly IncomingMessage[] =>
    all.filter(({ statusCode }) => statusCode === status);
  const textOf = async (response: IncomingMessage): Promise<string> => (await response.toArray()).join('');
  const readers = async (): Promise<string | undefined> =>
    /^stave_event_stream_readers (\d+)/m.exec(await (await stub.call('GET', '/metrics')).text())?.[1];

  it('refuses more event streams of one key than the limit, and accepts others when some have ended', async () => {
    stub = await GatewayStub.start({ streamsPerKey: 20, streamsInAll: 0 });
    const all = await beginMany('member');
    const [accepted, refused] = [withStatus(all, 200), withStatus(all, 429)];
    expect([accepted.length, refused.length]).toEqual([20, CLIENTS - 20]);
    expect(refused[0]?.headers['retry-after']).toBe('1');
    const problem: unknown = JSON.parse(await textOf(refused[0] as IncomingMessage));
    expect(problem).toMatchObject({ status: 429, code: 'too-many-streams', type: '/problems/too-many-streams' });
    expect((await begin('reader')).statusCode).toBe(200);
    for (const one of accepted.slice(0, 5)) one.destroy();
    await eventually(async () => (await readers()) === '16', 'the streams have ended');
    expect(withStatus(await beginMany('member'), 200)).toHaveLength(5);
  });

  it('refuses more streams than the process serves with 503, whoever has them', async () => {
    stub = await GatewayStub.start({ streamsPerKey: 20, streamsInAll: 30 });
    expect(withStatus(await beginMany('member'), 200)).toHaveLength(20);
    const all = await beginMany('reader');
    expect(withStatus(all, 200)).toHaveLength(10);
    const [first] = withStatus(all, 503);
    expect(JSON.parse(await textOf(first as IncomingMessage))).toMatchObject({ code: 'too-many-streams' });
    expect(first?.headers['retry-after']).toBe('1');
  });

  it('ends a stream that catches up and whose client does not read', async () => {
    stub = await GatewayStub.start({ readTimeoutMs: 500, streamsPerKey: 1 });
    const text = 'x'.repeat(20_000);
    for (let i = 0; i < 1_000; i++)
      await stub.store.append('cluster-c', [anEvent('ClusterUpdated', {}, { text })], 'any');
    const stream = await begin('member', '/v1/events?from=start');
    expect([stream.statusCode, await readers()]).toEqual([200, '1']);
    stream.pause();
    await eventually(async () => (await readers()) === '0', 'the stream is ended');
    expect(await textOf(stream)).toContain('reads too slowly');
    expect((await begin('member')).statusCode).toBe(200);
  });

  it('counts followed logs as streams, also those that the conductor refuses', async () => {
    stub = await GatewayStub.start({ streamsPerKey: 2, streamsInAll: 0 });
    const subject = 'stave.logs.one';
    const released: (() => void)[] = [];
    stub.serve('container-scheduler', 'container', 'follow-logs', ({ body }) =>
      body['id'] === 'none'
        ? { ok: false, error: { code: 'not-found', kind: 'not-found', detail: 'no' } }
        : { ok: true, data: { subject } },
    );
    stub.answer(subject, async payload => {
      if (!(payload as { readonly stop?: boolean }).stop) await new Promise<void>(resolve => released.push(resolve));
      return { ok: true, data: { text: '', done: true } };
    });
    for (let i = 0; i < 5; i++)
      expect((await begin('member', '/v1/containers/none/logs?follow=true')).statusCode).toBe(404);
    const followed = [await begin('member', '/v1/containers/web/logs?follow=true'), await begin('member')];
    expect(followed.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    expect((await begin('member', '/v1/containers/web/logs?follow=true')).statusCode).toBe(429);
    expect((await begin('member')).statusCode).toBe(429);
    for (const release of released) release();
    await textOf(followed[0] as IncomingMessage);
    await eventually(async () => (await begin('member')).statusCode === 200, 'the end of the log makes room');
  });

  /** Requests answers of 500 kB on one connection and reads none; more than the buffers of a connection take. */
  async function readNothing(key: string, path: string): Promise<Socket> {
    const { hostname, port } = new URL(stub.url);
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    open.push(socket);
    await once(socket, 'connect');
    socket.pause();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`.repeat(15));
    return socket;
  }
  const statusOf = async (key: string, path = '/v1/whoami'): Promise<number> =>
    (await stub.call('GET', path, { key })).status;
  const serveLarge = (): void =>
    stub.serve('cluster-service', 'operation', 'get', () => ({ ok: true, data: { text: 'x'.repeat(500_000) } }));

  it('refuses requests of a key whose clients do not read, until they do or are cut', async () => {
    stub = await GatewayStub.start({ unreadPerKey: 10_000_000, unreadInAll: 0, readTimeoutMs: 3_000 });
    serveLarge();
    for (let i = 0; i < 10; i++) await readNothing('member', '/v1/operations/c-1');
    await eventually(async () => (await statusOf('member')) === 429, 'the key is refused');
    expect(await problemIn(await stub.call('GET', '/v1/whoami', { key: 'member' }))).toMatchObject({
      status: 429,
      code: 'too-many-unread-answers',
    });
    expect(await statusOf('reader')).toBe(200);
    expect((await begin('reader')).statusCode).toBe(200);
    await eventually(async () => (await statusOf('member')) === 200, 'the key is accepted when its clients were cut');
  });

  it('gives the share of answers back that are read, and of connections that are closed', async () => {
    stub = await GatewayStub.start({ unreadPerKey: 10_000_000, unreadInAll: 0 });
    serveLarge();
    const sockets = await Promise.all(Array.from({ length: 10 }, () => readNothing('member', '/v1/operations/c-1')));
    await eventually(async () => (await statusOf('member')) === 429, 'the key is refused');
    for (const [i, socket] of sockets.entries()) void (i % 2 === 0 ? socket.resume() : socket.destroy());
    await eventually(async () => (await statusOf('member')) === 200, 'the key is accepted again');
    for (let i = 0; i < 100; i++) expect(await statusOf('member', '/v1/operations/c-1')).toBe(200);
  });

  it('refuses everybody with 503 while the process holds too much, and never probes', async () => {
    stub = await GatewayStub.start({ unreadPerKey: 0, unreadInAll: 10_000_000 });
    serveLarge();
    for (let i = 0; i < 10; i++) await readNothing('member', '/v1/operations/c-1');
    await eventually(async () => (await statusOf('reader')) === 503, 'the process is full');
    expect(await problemIn(await stub.call('GET', '/v1/whoami', { key: 'reader' }))).toMatchObject({
      status: 503,
      code: 'too-many-unread-answers',
    });
    for (const path of ['/healthz', '/readyz']) expect(await statusOf('reader', path)).toBe(200);
  });

  it('limits those who have no key for themselves', async () => {
    stub = await GatewayStub.start({ unreadPerKey: 10_000_000, unreadInAll: 0 });
    const path = '/docs/swagger-ui-bundle.js';
    for (let i = 0; i < 10; i++) await readNothing('none', path);
    await eventually(async () => (await statusOf('none', path)) === 429, 'the page is refused');
    expect(await statusOf('member')).toBe(200);
    expect(await statusOf('none', '/metrics')).toBe(200);
  });
});
