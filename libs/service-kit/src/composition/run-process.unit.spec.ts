import { createLogger, type Logger } from '@stave/platform';
import { runProcess, type RunningProcess } from './run-process.js';

/** A process that keeps what happens to it. */
function aProcess() {
  const listeners = new Map<string, () => void>();
  const ended: number[] = [];
  const written: string[] = [];
  const handle = {
    on: (signal: string, listener: () => void) => listeners.set(signal, listener),
    exit: (code: number) => void ended.push(code),
    stderr: { write: (text: string) => written.push(text) },
  };
  return { handle, ended, written, signal: (name: string) => listeners.get(name)?.() };
}

function aLog(): { readonly log: Logger; readonly errors: unknown[][] } {
  const errors: unknown[][] = [];
  const log = Object.assign(Object.create(createLogger('test', 'silent')), {
    error: (...line: unknown[]) => errors.push(line),
  });
  return { log, errors };
}

const settled = async (): Promise<void> => void (await jest.advanceTimersByTimeAsync(0));

describe('runProcess', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it.each(['SIGTERM', 'SIGINT'])('%s during the start ends the process with 0 at once', async name => {
    const { handle, ended, signal } = aProcess();
    runProcess(handle, () => new Promise(() => undefined));
    signal('SIGUSR2');
    expect(ended).toEqual([]);
    signal(name);
    expect(ended).toEqual([0]);
  });

  it('the handlers are there before the start begins', () => {
    const { handle, ended, signal } = aProcess();
    runProcess(handle, () => {
      signal('SIGTERM');
      return new Promise(() => undefined);
    });
    expect(ended).toEqual([0]);
  });

  it('a signal runs the steps one after the other and ends the process with 0', async () => {
    const { handle, ended, signal } = aProcess();
    const { log, errors } = aLog();
    const order: string[] = [];
    let finish: () => void = () => undefined;
    const first = () => new Promise<void>(resolve => (finish = resolve)).then(() => void order.push('first'));
    const stop = [
      ['first', first],
      ['second', () => void order.push('second')],
    ] as const;
    runProcess(handle, async () => ({ log, stop }));
    await settled();
    signal('SIGTERM');
    await settled();
    expect([order, ended]).toEqual([[], []]);
    finish();
    await settled();
    expect([order, ended, errors]).toEqual([['first', 'second'], [0], []]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('the signals of one Ctrl-C stop the process once; another one 2 s later ends it with 1 at once', async () => {
    const { handle, ended, signal } = aProcess();
    let stops = 0;
    const stop = [['work', () => new Promise(() => stops++)]] as const;
    runProcess(handle, async () => ({ log: aLog().log, stop }));
    await settled();
    signal('SIGINT');
    signal('SIGINT');
    signal('SIGTERM');
    await jest.advanceTimersByTimeAsync(1_999);
    signal('SIGINT');
    expect([stops, ended]).toEqual([1, []]);
    await jest.advanceTimersByTimeAsync(1);
    signal('SIGINT');
    expect([stops, ended]).toEqual([1, [1]]);
  });

  it.each([
    [{}, 30_000],
    [{ drainMs: 10_000 }, 40_000],
  ])('a stop with %j that does not end is logged with what it waits for and ends with 1', async (more, withinMs) => {
    const { handle, ended, signal } = aProcess();
    const { log, errors } = aLog();
    const stop: RunningProcess['stop'] = [
      ['health port', () => undefined],
      ['requests in progress', () => new Promise(() => undefined)],
      ['connections', () => undefined],
    ];
    runProcess(handle, async () => ({ log, stop, ...more }));
    await settled();
    signal('SIGTERM');
    await jest.advanceTimersByTimeAsync(withinMs - 1);
    expect([ended, errors]).toEqual([[], []]);
    await jest.advanceTimersByTimeAsync(1);
    expect(ended).toEqual([1]);
    expect(errors).toEqual([[{ waitingFor: 'requests in progress', withinMs }, 'the stop did not end in time']]);
  });

  it('a start or a stop that fails ends the process with 1 and says why', async () => {
    const starting = aProcess();
    runProcess(starting.handle, () => Promise.reject(new Error('no store')));
    await settled();
    expect([starting.ended, starting.written]).toEqual([[1], ['no store\n']]);

    const { handle, ended, signal } = aProcess();
    const { log, errors } = aLog();
    const err = new Error('in use');
    runProcess(handle, async () => ({ log, stop: [['messaging', () => Promise.reject(err)]] }));
    await settled();
    signal('SIGTERM');
    await settled();
    expect([ended, errors]).toEqual([[1], [[{ err }, 'stopping failed']]]);
  });
});
