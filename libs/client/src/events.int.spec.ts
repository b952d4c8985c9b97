import { StaveClient, type EventOptions, type StaveEvent } from './index.js';
import { cut, problem, ScriptedServer, silence, stream, type Reply } from './scripted-server.fixture.js';

let server: ScriptedServer;
afterEach(() => server?.close());

async function clientOf(...replies: Reply[]): Promise<StaveClient> {
  server = await ScriptedServer.start(...replies);
  return new StaveClient({ url: server.url, token: 't', retry: { delayMs: 1, attempts: 3 } });
}

const event = (position: number, name = 'x'): string =>
  `id: ${position}\ndata: ${JSON.stringify({ id: `e${position}`, position: String(position), data: { name } })}\n\n`;

async function read(stave: StaveClient, count: number, options?: EventOptions): Promise<StaveEvent[]> {
  const events: StaveEvent[] = [];
  for await (const one of stave.events(options)) if (events.push(one) === count) break;
  return events;
}

const positions = (events: readonly StaveEvent[]): string[] => events.map(({ position }) => position);
const resumedAt = (): unknown[] => server.requests.map(({ headers }) => headers['last-event-id']);

describe('the event stream of the client', () => {
  it('each event is delivered once, over connections that are cut in an event, closed, refused and lost', async () => {
    const stave = await clientOf(
      stream([event(1), event(2), event(3).slice(0, 20)], 'cut'),
      stream([event(3)], 'end'),
      problem(503, 'closing', { 'retry-after': '0' }),
      ...Array<Reply>(6).fill(cut),
      stream([event(4), event(5)], 'open'),
    );
    const lost: unknown[] = [];
    const options = { from: 'start', cluster: 'shop', onDisconnect: (error: unknown) => lost.push(error) };
    expect(positions(await read(stave, 5, options))).toEqual(['1', '2', '3', '4', '5']);
    expect(resumedAt()).toEqual([undefined, '2', ...Array(8).fill('3')]);
    expect(server.requests[0]?.url).toBe('/v1/events?from=start&cluster=shop');
    expect(server.requests.at(-1)?.url).toBe('/v1/events?cluster=shop');
    expect(lost).toEqual([expect.objectContaining({ name: 'ConnectionError' }), undefined]);
  });

  it('events whose bytes arrive in any pieces are complete', async () => {
    const bytes = Buffer.from(`: connected\r\n\r\n${event(1, 'grün 🙂')}${event(2)}`.replaceAll('\n', '\r\n'));
    const pieces = Array.from(bytes, byte => Buffer.from([byte]));
    const [first, second] = await read(await clientOf(stream(pieces, 'open')), 2);
    expect(first?.data).toEqual({ name: 'grün 🙂' });
    expect(second?.position).toBe('2');
  });

  it('the position where the stream began is kept when the connection is lost before the first event', async () => {
    const stave = await clientOf(stream([': connected\nid: 7\n\n'], 'cut'), stream([event(8)], 'open'));
    expect(positions(await read(stave, 1))).toEqual(['8']);
    expect(resumedAt()).toEqual([undefined, '7']);
  });

  it('a connection without a heartbeat counts as lost', async () => {
    const stave = await clientOf(stream([event(1)], 'open'), stream([event(2)], 'open'));
    expect(positions(await read(stave, 2, { idleMs: 50 }))).toEqual(['1', '2']);
  });

  it('a refusal after a lost connection ends the stream', async () => {
    const stave = await clientOf(stream([event(1)], 'cut'), problem(401, 'key-revoked'));
    await expect(read(stave, 2)).rejects.toMatchObject({ code: 'key-revoked' });
  });

  it('a stream that was never reached is an error after the most attempts', async () => {
    await expect(read(await clientOf(cut), 1)).rejects.toMatchObject({ name: 'ConnectionError' });
    expect(server.requests).toHaveLength(3);
  });

  it('the connection is closed when the reader stops', async () => {
    let closed: Promise<unknown> = Promise.reject(new Error('never opened'));
    closed.catch(() => undefined);
    const stave = await clientOf((response, request) => {
      closed = new Promise(resolve => response.on('close', resolve));
      stream([event(1)], 'open')(response, request);
    });
    await read(stave, 1);
    await closed;
  });

  it.each([
    ['while it is silent', stream([event(1)], 'open')],
    ['before it is open', silence],
  ])('a signal ends the stream %s with its own reason', async (_, reply) => {
    const controller = new AbortController();
    const stave = await clientOf((response, request) => {
      reply(response, request);
      setImmediate(() => controller.abort(new Error('stopped')));
    });
    await expect(read(stave, 2, { signal: controller.signal })).rejects.toThrow('stopped');
    expect(server.requests).toHaveLength(1);
  });

  it('a followed text is delivered as it arrives, and is not resumed', async () => {
    const stave = await clientOf(stream(['one\n', 'two\n'], 'cut'));
    let text = '';
    const reading = (async () => {
      for await (const piece of stave.text('/v1/containers/{id}/logs', { path: { id: 'w' }, query: { follow: true } }))
        text += piece;
    })();
    await expect(reading).rejects.toMatchObject({ name: 'ConnectionError' });
    expect(text).toBe('one\ntwo\n');
    expect(server.requests).toMatchObject([
      { headers: { accept: 'text/plain' }, url: '/v1/containers/w/logs?follow=true' },
    ]);
  });
});
