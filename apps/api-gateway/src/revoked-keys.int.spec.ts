import { eventually } from '@stave/platform/testing';
import { get, type IncomingMessage } from 'node:http';
import { anEvent, GatewayStub } from './testing/gateway-stub.js';

describe('gateway: a revoked key', () => {
  let stub: GatewayStub;
  const held: (() => void)[] = [];
  const never = (): Promise<never> => new Promise<never>((_, reject) => held.push(() => reject(new Error('closed'))));
  beforeEach(async () => (stub = await GatewayStub.start()));
  afterEach(async () => {
    for (const release of held.splice(0)) release();
    await stub.close();
  });

  const begin = (path: string, key: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${key}` };
      get(stub.url + path, { headers, agent: false }, resolve).on('error', reject);
    });
  const revoke = (id: string): Promise<unknown> =>
    stub.store.append(`apiKey-${id}`, [anEvent('ApiKeyRevoked', {}, { id })], 'any');
  const rotate = (id: string, rotation: number, overlapMs: number): Promise<unknown> => {
    const formerUntil = new Date(Date.now() + overlapMs).toISOString();
    return stub.store.append(`apiKey-${id}`, [anEvent('ApiKeyRotated', {}, { id, rotation, formerUntil })], 'any');
  };
  /** Resolves with the text of a response that ends. */
  const ended = (response: IncomingMessage): Promise<string> =>
    new Promise(resolve => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('close', () => resolve(text)).on('error', () => undefined);
    });

  it('ends its event streams and leaves those of other keys open', async () => {
    const [mine, other] = [await begin('/v1/events', 'reader'), await begin('/v1/events', 'member')];
    let otherEnded = false;
    void ended(other).then(() => (otherEnded = true));
    await revoke('k-reader');
    const start = performance.now();
    expect(await ended(mine)).toContain(': the API key was revoked');
    expect(performance.now() - start).toBeLessThan(2_000);
    expect(otherEnded).toBe(false);
    other.destroy();
  });

  it.each([
    ['replaces the secret', () => rotate('k-reader', 1, 0)],
    ['replaces the secret with a short overlap', () => rotate('k-reader', 1, 300)],
  ])('ends the event streams of the former secret when somebody %s', async (_, change) => {
    const stream = ended(await begin('/v1/events', 'reader'));
    await change();
    expect(await stream).toContain(': the API key was revoked, replaced or has expired');
  });

  it('ends the event streams of a key when it expires', async () => {
    const soon = new Date(Date.now() + 1_000).toISOString();
    stub.changed = { expiresAt: soon, validUntil: soon };
    expect(await ended(await begin('/v1/events', 'reader'))).toContain('has expired');
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(soon));
  });

  it('ends its followed logs', async () => {
    const subject = 'stave.logs.one';
    let stopped = false;
    stub.serve('container-scheduler', 'container', 'follow-logs', () => ({ ok: true, data: { subject } }));
    stub.answer(subject, async payload => {
      if ((payload as { readonly stop?: boolean }).stop) stopped = true;
      else return never();
      return { ok: true, data: { text: '', done: true } };
    });
    const log = await begin('/v1/containers/web/logs?follow=true', 'reader');
    await revoke('k-reader');
    await ended(log);
    await eventually(() => stopped, 'the conductor stops to read the log');
  });

  it.each(['/v1/operations/c-1?wait=60s', '/v1/clusters?minPosition=99999', '/v1/clusters/web/diff?from=1'])(
    'ends a wait: GET %s',
    async path => {
      let asked = false;
      const wait = (): Promise<never> => {
        asked = true;
        return never();
      };
      stub.serve('cluster-service', 'operation', 'get', wait);
      for (const verb of ['list', 'diff']) stub.serve('cluster-service', 'cluster', verb, wait);
      const answer = begin(path, 'reader');
      await eventually(() => asked, 'the request waits');
      await revoke('k-reader');
      expect((await answer).statusCode).toBe(401);
    },
  );

  it('ends a wait for a position of the log', async () => {
    const id = '0198c5a0-0000-7000-8000-000000000001';
    const answer = begin(`/v1/clusters/${id}/events?minPosition=99999`, 'reader');
    await eventually(() => stub.verified === 1, 'the key was verified');
    await revoke('k-reader');
    expect((await answer).statusCode).toBe(401);
  });
});
