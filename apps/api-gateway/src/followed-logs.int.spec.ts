import { get, type IncomingMessage } from 'node:http';
import type { LogPiece, LogStreamNext, ServiceReply } from '@stave/contracts';
import { eventually } from '@stave/platform/testing';

import { GatewayStub } from './testing/gateway-stub.js';

const path = '/v1/containers/web-1/logs?follow=true&tail=7';
const subject = 'stave.logs.one';

describe('a followed log', () => {
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

  /** A client that reads only on request; `fetch` would open its connection again after it was closed. */
  const begin = (): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: 'Bearer admin' };
      get(stub.url + path, { headers, agent: false }, resolve).on('error', reject);
    });
  const stops = (): number => asked.filter(({ stop }) => stop).length;

  it('sends a followed log as plain text that ends with its last piece', async () => {
    give = async ({ seq }) => ({ text: ['one\n', '', 'zwei ü\n'][seq] ?? '', done: seq === 3 });
    const response = await stub.call('GET', path);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(await response.text()).toBe('one\nzwei ü\n');
    expect(asked.map(({ seq }) => seq)).toEqual([0, 1, 2, 3]);
    expect(stub.last.request.body).toEqual({ id: 'web-1', tail: 7 });
  });

  it('responds before the first text, and releases the log when the client disconnects', async () => {
    give = async () => undefined;
    const response = await begin();
    expect(response.statusCode).toBe(200);
    response.destroy();
    await eventually(() => stops() === 1, 'the log is let go');
  });

  it('requests no more pieces than a slow client reads', async () => {
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

  it('ends a followed log without its last chunk when the log cannot be read further', async () => {
    give = async ({ seq }) => (seq === 0 ? { text: 'one\n', done: false } : { text: '', done: true, failure: 'gone' });
    const response = await stub.call('GET', path);
    await expect(response.text()).rejects.toThrow();
    expect(stops()).toBe(0);
  });

  it('answers a problem when the log cannot be opened', async () => {
    opened = { ok: false, error: { code: 'not-placed', kind: 'conflict', detail: 'the container is not placed' } };
    const response = await stub.call('GET', path);
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({ detail: 'the container is not placed' });
  });

  it('ends followed logs when the gateway closes', async () => {
    give = async () => undefined;
    const response = await stub.call('GET', path);
    const reading = response.text();
    await stub.gateway.close();
    await expect(reading).rejects.toThrow();
    expect(stops()).toBe(1);
  });

  it('requires a boolean `follow`, and limits `tail` as a plain read does', async () => {
    for (const query of ['follow=maybe', 'follow=true&tail=0'])
      expect((await stub.call('GET', `/v1/containers/web-1/logs?${query}`)).status).toBe(400);
  });
});
