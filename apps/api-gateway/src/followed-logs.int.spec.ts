import { get, type IncomingMessage } from 'node:http';
import type { LogPiece, LogStreamNext, ServiceReply } from '@stave/contracts';
import { eventually } from '@stave/platform/testing';

import { GatewayStub } from './testing/gateway-stub.js';

const path = '/v1/containers/web-1/logs?follow=true&tail=7';
const subject = 'stave.logs.one';

describe('gateway: a log that is followed', () => {
  let stub: GatewayStub;
  const held: (() => void)[] = [];
  let asked: LogStreamNext[];
  let opened: ServiceReply;
  let give: (next: LogStreamNext) => Promise<LogPiece | undefined>;

  beforeEach(async () => {
    stub = await GatewayStub.start();
    asked = [];
    opened = { ok: true, data: { subject } };
    stub.serve('container-scheduler', 'container', 'follow-logs', () => opened);
    stub.answer(subject, async payload => {
      const next = payload as LogStreamNext;
      asked.push(next);
      const data = next.stop ? { text: '', done: true } : await give(next);
      if (!data) await new Promise<void>(resolve => held.push(resolve));
      return { ok: true, data: data ?? { text: '', done: true } };
    });
  });
  afterEach(async () => {
    await stub.close();
    for (const release of held.splice(0)) release();
  });

  /** A client that reads nothing by itself; `fetch` would open its connection anew after it was cut. */
  const begin = (): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: 'Bearer admin' };
      get(stub.url + path, { headers, agent: false }, resolve).on('error', reject);
    });
  const stops = (): number => asked.filter(({ stop }) => stop).length;

  it('is plain text, piece after piece, and ends with the last', async () => {
    give = async ({ seq }) => ({ text: ['one\n', '', 'zwei ü\n'][seq] ?? '', done: seq === 3 });
    const response = await stub.call('GET', path);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(await response.text()).toBe('one\nzwei ü\n');
    expect(asked.map(({ seq }) => seq)).toEqual([0, 1, 2, 3]);
    expect(stub.last.request.body).toEqual({ id: 'web-1', tail: 7 });
  });

  it('answers before the first text, and lets the log go when the client goes', async () => {
    give = async () => undefined;
    const response = await begin();
    expect(response.statusCode).toBe(200);
    response.destroy();
    await eventually(() => stops() === 1, 'the log is let go');
  });

  it('asks for no more than a slow client reads', async () => {
    give = async () => ({ text: 'y'.repeat(100_000), done: false });
    const response = await begin();
    let before = -1;
    await eventually(() => {
      const still = asked.length === before;
      before = asked.length;
      return still;
    }, 'nothing more is asked for');
    expect(asked.length).toBeLessThan(200);
    response.destroy();
    await eventually(() => stops() === 1, 'the log is let go');
  });

  it('is broken off when it cannot be read on', async () => {
    give = async ({ seq }) => (seq === 0 ? { text: 'one\n', done: false } : { text: '', done: true, failure: 'gone' });
    const response = await stub.call('GET', path);
    await expect(response.text()).rejects.toThrow();
    expect(stops()).toBe(0);
  });

  it('is a problem as long as it has not begun', async () => {
    opened = { ok: false, error: { code: 'not-placed', kind: 'conflict', detail: 'it runs nowhere' } };
    const response = await stub.call('GET', path);
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({ detail: 'it runs nowhere' });
  });

  it('ends when the gateway closes', async () => {
    give = async () => undefined;
    const response = await stub.call('GET', path);
    const reading = response.text();
    await stub.gateway.close();
    await expect(reading).rejects.toThrow();
    expect(stops()).toBe(1);
  });

  it('needs a boolean, and a tail as without it', async () => {
    for (const query of ['follow=maybe', 'follow=true&tail=0'])
      expect((await stub.call('GET', `/v1/containers/web-1/logs?${query}`)).status).toBe(400);
  });
});
