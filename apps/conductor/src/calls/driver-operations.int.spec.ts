import {
  callSubject,
  OPERATION_CALL,
  OPERATION_CHECK,
  type LogPiece,
  type OperationCall,
  type ServiceReply,
} from '@stave/contracts';
import {
  DriverError,
  type DriverContext,
  type DriverOperation,
  type FailureClass,
  type OperationRequest,
} from '@stave/driver-sdk';
import { knownSecrets } from '@stave/platform';
import { eventually } from '@stave/platform/testing';
import pino from 'pino';
import type { Conductor } from '../conductor.js';
import { aHolding, ConductorBench } from '../testing/conductor-bench.js';

jest.setTimeout(120_000);

const closed = { type: 'object', additionalProperties: false };
const look: DriverOperation = { name: 'look', method: 'GET', path: '/look', role: 'reader', deadlineSeconds: 60 };
const change: DriverOperation = { ...look, name: 'change', method: 'POST', path: '/change', role: 'member' };
const watch: DriverOperation = { ...look, name: 'watch', path: '/watch', streaming: true };

describe('Operations of drivers at a conductor', () => {
  let bench: ConductorBench;
  let conductor: Conductor;
  let lines: string[];
  beforeEach(() => {
    bench = new ConductorBench();
    lines = [];
  });
  afterEach(() => bench.close());

  async function start(operations: readonly DriverOperation[]): Promise<void> {
    bench.driver.operations = operations;
    bench.services.holdings = [aHolding([5])];
    bench.services.start();
    const log = pino({ level: 'info' }, { write: line => void lines.push(line) });
    conductor = await bench.conductor({ log });
    await conductor.start();
    await eventually(() => bench.tableOf(conductor).epoch === 1, 'the first table');
    await eventually(() => bench.openDriversOf(conductor).length === 1, 'the driver is open');
  }

  function ask(name: string, more: Partial<OperationCall> = {}): Promise<unknown> {
    const actor = { keyId: 'key-of-ada', name: 'ada', role: 'member', project: 'p' } as const;
    const request: OperationCall = {
      kind: OPERATION_CALL,
      driver: { name: 'scripted', version: '1.0.0' },
      cluster: { id: 'c1', clusterId: 'c1', generation: 3, options: { a: 1 } },
      name,
      parameters: {},
      caller: { actor, correlationId: 'correlation-1' },
      ...more,
    };
    return bench.messaging.request(callSubject('token-of-scripted', 5), request, { timeoutMs: 30_000 });
  }
  const refused = (kind: string, code: string) => ({ ok: false, error: expect.objectContaining({ kind, code }) });
  const until = (signal: AbortSignal): Promise<void> =>
    new Promise(resolve => signal.addEventListener('abort', () => resolve()));

  it('an operation gets the cluster, its parameters by type and its body, and is answered', async () => {
    const asked: OperationRequest[] = [];
    const parameters = { ...closed, properties: { count: { type: 'integer' } } };
    const request = { ...closed, properties: { text: { type: 'string' } } };
    bench.driver.api = { change: async (_ctx, given) => ({ done: asked.push(given) > 0 }) };
    await start([{ ...change, parameters, request }]);
    const reply = await ask('change', { parameters: { count: '3' }, body: { text: 'a' } });
    expect(reply).toEqual({ ok: true, data: { answer: { done: true } } });
    const cluster = { id: 'c1', clusterId: 'c1', generation: 3, options: { a: 1 } };
    expect(asked).toEqual([{ cluster, parameters: { count: 3 }, body: { text: 'a' } }]);
    const wrong = await ask('change', { parameters: { count: 'x' }, body: { hue: 1 } });
    const errors = ['/count', '/hue'].map(pointer => expect.objectContaining({ pointer }));
    expect(wrong).toMatchObject({ ok: false, error: { code: 'validation-failed', errors } });
    expect(asked).toHaveLength(1);
  });

  it('a dry run checks the call and runs nothing, unless the driver answers it itself', async () => {
    const asked: OperationRequest[] = [];
    const handler = async (_ctx: DriverContext, given: OperationRequest) => ({ done: asked.push(given) > 0 });
    bench.driver.api = { change: handler, rehearse: handler };
    const parameters = { ...closed, properties: { count: { type: 'integer' } } };
    const ownDryRun = { ...closed, properties: { dryRun: { type: 'boolean' } } };
    await start([
      { ...change, parameters },
      { ...change, name: 'rehearse', path: '/rehearse', parameters: ownDryRun },
    ]);
    const check = { kind: OPERATION_CHECK, parameters: { dryRun: true } } as const;
    const step = {
      action: 'change',
      resource: { type: 'cluster', id: 'c1' },
      reason: expect.stringContaining('change'),
    };
    const plan = { events: [], diff: [], steps: [step], unsettled: expect.any(String) };
    expect(await ask('change', check)).toEqual({ ok: true, data: { answer: plan } });
    const wrong = await ask('change', { ...check, parameters: { dryRun: true, count: 'x' } });
    expect(wrong).toMatchObject({ ok: false, error: { errors: [{ pointer: '/count' }] } });
    expect(asked).toEqual([]);
    expect(await ask('rehearse', check)).toEqual({ ok: true, data: { answer: { done: true } } });
    expect(asked).toMatchObject([{ parameters: { dryRun: true } }]);
  });

  it('the log says who called what, and neither parameters nor secrets', async () => {
    knownSecrets.learn('a-secret-of-the-driver');
    bench.driver.api = { look: async () => ({ token: 'a-secret-of-the-driver' }) };
    const parameters = { ...closed, properties: { text: { type: 'string' } } };
    await start([{ ...look, parameters }]);
    const data = { answer: { token: '[secret]' } };
    expect(await ask('look', { parameters: { text: 'of-the-caller' } })).toEqual({ ok: true, data });
    const [line = ''] = lines.filter(text => text.includes('driver operation'));
    expect(JSON.parse(line)).toMatchObject({
      operation: 'look',
      cluster: 'c1',
      actor: { keyId: 'key-of-ada', role: 'member', project: 'p' },
      correlationId: 'correlation-1',
    });
    expect(lines.join('')).not.toContain('of-the-caller');
  });

  it('the log of what the caller did wrong is no warning and has no stack, unlike that of a failure', async () => {
    const refuse = (failure: FailureClass) => () => Promise.reject(new DriverError(failure, 'no', { cause: 'c' }));
    bench.driver.api = { look: refuse('notFound'), change: refuse('transient') };
    await start([{ ...look, parameters: closed }, change]);
    for (const parameters of [{ count: 'x' }, {}]) await ask('look', { parameters });
    await ask('change');
    const logged = lines.flatMap(text => (text.includes('driver operation') ? [JSON.parse(text) as object] : []));
    expect(logged).toMatchObject([
      { level: 30, msg: 'driver operation refused', code: 'validation-failed' },
      { level: 30, msg: 'driver operation refused', code: 'driver-not-found', reason: 'no' },
      { level: 40, msg: 'driver operation failed', err: { stack: expect.any(String) } },
    ]);
    expect(logged.map(line => 'err' in line)).toEqual([false, false, true]);
  });

  it('a GET changes nothing; another method does while the session of the conductor lasts', async () => {
    const touch = async (ctx: DriverContext): Promise<object> => {
      ctx.checkpoint();
      return {};
    };
    const outlive = async (ctx: DriverContext): Promise<void> => {
      ctx.checkpoint();
      bench.clock.jump(3_600_000);
      ctx.checkpoint();
    };
    bench.driver.api = { look: touch, change: touch, outlive };
    await start([look, change, { ...change, name: 'outlive', path: '/outlive' }]);
    expect(await ask('look')).toEqual(refused('unsupported', 'driver-unsupported'));
    expect(await ask('change')).toMatchObject({ ok: true });
    expect(await ask('outlive')).toEqual(refused('unavailable', 'driver-transient'));
  });

  it('an operation that is late is stopped and answered', async () => {
    let stopped = false;
    bench.driver.api = { look: ({ signal }) => until(signal).then(() => (stopped = true)) };
    await start([{ ...look, deadlineSeconds: 0.05 }]);
    expect(await ask('look')).toEqual(refused('unavailable', 'driver-timeout'));
    await eventually(() => stopped, 'the operation is stopped');
  });

  it.each([
    ['is larger than its limit', async () => 'x'.repeat(200), 'driver-answer-too-large'],
    ['breaks its schema', async () => 7, 'driver-answer-invalid'],
    ['is missing', async () => undefined, 'driver-answer-invalid'],
    ['is no JSON', async () => 7n, 'driver-answer-invalid'],
    ['is a stream', async () => numbers(), 'driver-answer-invalid'],
  ])('an answer that %s is refused', async (_what, handler, code) => {
    bench.driver.api = { look: handler };
    await start([{ ...look, answer: { type: 'string' }, maxAnswerBytes: 100 }]);
    expect(await ask('look')).toEqual(refused('bad-answer', code));
  });

  async function* numbers(onEnd: () => void = () => undefined): AsyncGenerator<unknown> {
    try {
      for (let number = 0; ; number++) yield { number, text: 'x'.repeat(1_000) };
    } finally {
      onEnd();
    }
  }

  it('a stream is read only as fast as its reader, and ended when the reader leaves', async () => {
    let [made, ended] = [0, false];
    bench.driver.api = {
      async *watch() {
        for await (const piece of numbers(() => (ended = true))) {
          made++;
          yield piece;
        }
      },
    };
    await start([watch]);
    const reply = (await ask('watch')) as ServiceReply<{ subject: string }>;
    if (!reply.ok) throw new Error(reply.error.detail);
    const piece = async (body: object): Promise<LogPiece> => {
      const answer = await bench.messaging.request(reply.data.subject, body, { timeoutMs: 60_000 });
      return (answer as { data: LogPiece }).data;
    };
    let [seq, text] = [0, ''];
    while (text.length < 500_000) text += (await piece({ seq: seq++ })).text;
    const settled = made;
    expect(settled).toBeLessThan(1_000);
    expect(settled).toBeGreaterThan(400);
    expect(JSON.parse(text.split('\n')[400] ?? '')).toMatchObject({ number: 400 });
    expect(ended).toBe(false);
    await piece({ seq, stop: true });
    await eventually(() => ended, 'the stream of the driver has ended');
  });

  it('a stream that is late or wrong before its first piece is refused and ended', async () => {
    let ended = 0;
    bench.driver.api = {
      watch: ({ signal }) => late(signal),
      wrong: () => numbers(() => void ended++),
      value: async () => 7,
    };
    async function* late(signal: AbortSignal): AsyncGenerator<number> {
      await until(signal);
      ended++;
      yield 1;
    }
    const streams = [
      { ...watch, deadlineSeconds: 0.05 },
      { ...watch, name: 'wrong', path: '/wrong', answer: { type: 'string' } },
      { ...watch, name: 'value', path: '/value' },
    ];
    await start(streams);
    expect(await ask('watch')).toEqual(refused('unavailable', 'driver-timeout'));
    expect(await ask('wrong')).toEqual(refused('bad-answer', 'driver-answer-invalid'));
    expect(await ask('value')).toEqual(refused('bad-answer', 'driver-answer-invalid'));
    await eventually(() => ended === 2, 'both streams are ended');
  });

  it('a driver that lacks an operation of its manifest is refused by name', async () => {
    bench.driver.api = { look: async () => 1 };
    bench.driver.operations = [look, change];
    bench.services.start();
    const log = pino({ level: 'error' }, { write: line => void lines.push(line) });
    conductor = await bench.conductor({ log });
    await conductor.start();
    await conductor.registered();
    expect(bench.services.registrations.map(({ drivers }) => drivers)).toEqual([[]]);
    expect(lines.join('')).toMatch(/a driver was refused/);
    expect(lines.join('')).toMatch(/lacks: change/);
    await eventually(() => bench.driver.closed, 'the refused driver is closed');
  });
});
