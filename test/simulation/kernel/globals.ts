import crypto, { type UUID } from 'node:crypto';
import { Random } from './random.js';
import type { Simulator } from './simulator.js';

type Callback = (...args: unknown[]) => void;

/** The return value of `setTimeout`. */
class Timer {
  cancelled = false;

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return false;
  }
}

/** Generates the ids of the running schedule; module mocks read it. */
let ids = new Random(0);

/** Returns up to 12 hexadecimal digits. */
const hex = (digits: number): string =>
  (ids.int(0, 0xffffff).toString(16).padStart(6, '0') + ids.int(0, 0xffffff).toString(16).padStart(6, '0')).slice(
    -digits,
  );

/** Returns a version 4 UUID from the seed of the schedule. */
export const seededUuid = (): UUID => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;

let keys = 0;

/**
 * Returns a key for Nest's own objects. Nest reuses keys of classes in the next schedule, so they do not depend on the
 * seed.
 */
export const internalKey = (): string => `key-${keys++}`;

/** Replaces `node:timers/promises` by functions on the timers of the schedule. */
export const timersPromises = {
  setTimeout: <T>(ms?: number, value?: T, { signal }: { readonly signal?: AbortSignal } = {}): Promise<T | undefined> =>
    new Promise((resolve, reject) => {
      const abort = (): void => reject(signal?.reason);
      if (signal?.aborted) return abort();
      signal?.addEventListener('abort', abort, { once: true });
      setTimeout(() => {
        signal?.removeEventListener('abort', abort);
        resolve(value);
      }, ms);
    }),
  setImmediate: (): Promise<void> => new Promise(resolve => setImmediate(resolve)),
};

/** Returns a version 7 UUID from the seed of the schedule; its first 48 bits are the time. */
export function seededUuidV7(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(3)}-a${hex(3)}-${hex(12)}`;
}

/**
 * Replaces timers, clocks and random sources by those of the schedule; each timer belongs to the process that set it.
 * Returns the function that restores them.
 */
export function installGlobals(sim: Simulator): () => void {
  ids = new Random(sim.seed ^ 0x5eed);
  const chance = new Random(sim.seed ^ 0xd1ce);
  const fakes: [object, string, unknown][] = [
    ...timersOf(sim),
    [performance, 'now', () => sim.current?.clock() ?? sim.now],
    [Math, 'random', () => chance.next()],
    [AbortSignal, 'timeout', (ms: number) => timeoutSignal(ms)],
    [crypto, 'randomUUID', seededUuid],
  ];
  const restore = fakes.map(([target, name, value]) => {
    const original = Object.getOwnPropertyDescriptor(target, name);
    Object.defineProperty(target, name, { value, configurable: true, writable: true });
    return () => (original ? Object.defineProperty(target, name, original) : Reflect.deleteProperty(target, name));
  });
  return () => restore.forEach(undo => undo());
}

function timersOf(sim: Simulator): [object, string, unknown][] {
  const start = (run: () => void, ms: number, repeats: boolean): Timer => {
    const timer = new Timer();
    const owner = sim.current;
    const after = (fire: () => void): void => (owner ? owner.after(ms, fire) : sim.after(ms, fire));
    const fire = (): void => {
      if (timer.cancelled) return;
      if (repeats) after(fire);
      run();
    };
    after(fire);
    return timer;
  };
  const stop = (timer: unknown): void => {
    if (timer instanceof Timer) timer.cancelled = true;
  };
  const timeout = (run: Callback, ms = 0, ...args: unknown[]): Timer => start(() => run(...args), ms, false);
  const interval = (run: Callback, ms = 0, ...args: unknown[]): Timer => start(() => run(...args), ms, true);
  const immediate = (run: Callback, ...args: unknown[]): Timer => start(() => run(...args), 0, false);
  return [
    [globalThis, 'setTimeout', timeout],
    [globalThis, 'setInterval', interval],
    [globalThis, 'setImmediate', immediate],
    [globalThis, 'clearTimeout', stop],
    [globalThis, 'clearInterval', stop],
    [globalThis, 'clearImmediate', stop],
  ];
}

function timeoutSignal(ms: number): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(new DOMException('the operation timed out', 'TimeoutError')), ms);
  return controller.signal;
}
