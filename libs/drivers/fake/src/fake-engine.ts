import { DriverError, type MachineEngine, type MachineProbe } from '@stave/driver-sdk';

/** An engine as the URL of a machine describes it: `fake://name?cpus=4&memoryMb=8192`. */
export interface FakeEngine {
  readonly name: string;
  readonly capacity: MachineProbe['capacity'];
  /** Something is left on it after every cleaning (`dirty=true`), or after the first one of this process (`dirty=once`). */
  readonly dirty: 'never' | 'once' | 'always';
  /** It takes no node (`full=true`). */
  readonly isFull: boolean;
  /** It never answers (`unreachable=true`). */
  readonly isUnreachable: boolean;
  /** It does not answer any more so many milliseconds after a node was built on it. */
  readonly lostAfterMs?: number;
}

const parameters = ['cpus', 'memoryMb', 'diskGb', 'dirty', 'full', 'unreachable', 'lostAfterMs'];

const dirt: Readonly<Record<string, FakeEngine['dirty']>> = { true: 'always', once: 'once' };

/** Reads the URL of a machine. Throws DriverError `permanent` with the code `engine-unsuitable`. */
export function fakeEngine({ url }: Pick<MachineEngine, 'url'>): FakeEngine {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'fake:' || parsed.hostname === '') throw unsuitable(`${url} is not fake://<name>`);
  const given = parsed.searchParams;
  for (const name of given.keys())
    if (!parameters.includes(name)) throw unsuitable(`the fake engine has no parameter ${name}`);
  const number = (name: string, fallback?: number): number | undefined => {
    const text = given.get(name);
    if (text === null) return fallback;
    const value = Number(text);
    if (text.trim() === '' || !Number.isFinite(value) || value < 0) throw unsuitable(`${name} must be a number`);
    return value;
  };
  const diskGb = number('diskGb');
  const lostAfterMs = number('lostAfterMs');
  return {
    name: parsed.hostname,
    capacity: {
      cpus: number('cpus', 4) ?? 4,
      memoryMb: number('memoryMb', 8192) ?? 8192,
      ...(diskGb !== undefined && { diskGb }),
    },
    dirty: dirt[given.get('dirty') ?? 'false'] ?? 'never',
    isFull: given.get('full') === 'true',
    isUnreachable: given.get('unreachable') === 'true',
    ...(lostAfterMs !== undefined && { lostAfterMs }),
  };
}

const unsuitable = (message: string): DriverError =>
  new DriverError('permanent', message, { code: 'engine-unsuitable' });
