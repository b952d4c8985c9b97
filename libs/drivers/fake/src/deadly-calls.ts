import { readFileSync } from 'node:fs';
import type { DriverContext } from '@stave/driver-sdk';
import { hasCode } from './error-code.js';

/** Ends the process at a call, for tests of conductors that die. */
export type DeadlyCalls = (ctx: DriverContext, operation: string, name: string) => void;

/**
 * Returns the deadly calls of the file that FAKE_DEADLY_CALLS names, read at every call: lines such as `node.create workers-1 throw`, with
 * the operation, the name of the resource and how the process ends, `kill` (SIGKILL) or `throw` (an uncaught error). Without the
 * variable, or while the file does not exist, no call is deadly.
 */
export function deadlyCalls(path: string | undefined): DeadlyCalls {
  if (!path) return () => undefined;
  return (ctx, operation, name) => {
    const how = waysIn(path).get(`${operation} ${name}`);
    if (how === undefined) return;
    ctx.log.warn({ operation, name }, 'this call ends the process');
    if (how === 'kill') process.kill(process.pid, 'SIGKILL');
    setImmediate(() => {
      throw new RangeError('a deadly call');
    });
  };
}

function waysIn(path: string): ReadonlyMap<string, string> {
  try {
    const lines = readFileSync(path, 'utf8')
      .split('\n')
      .map(line => line.trim().split(/\s+/));
    return new Map(lines.map(([operation, name, how = 'kill']) => [`${operation} ${name}`, how]));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return new Map();
    throw error;
  }
}
