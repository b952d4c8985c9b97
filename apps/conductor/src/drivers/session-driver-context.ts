import type { DriverContext } from '@stave/driver-sdk';
import type { ConductorContext } from '../conductor.context.js';
import type { Session } from '../session/session.js';
import type { OpenDriver } from './driver-pool.js';

/** Returns the context of a driver call that belongs to no task. `purpose`: the prefix of its id in journals. */
export function sessionDriverContext(
  { clock, times }: ConductorContext,
  session: Session,
  open: OpenDriver,
  purpose: 'sweep' | 'health',
  generation = 0,
): DriverContext {
  return {
    signal: AbortSignal.any([session.signal, AbortSignal.timeout(times.sweepTimeoutMs)]),
    log: open.log,
    now: () => clock.now(),
    secrets: open.secrets,
    progress: () => undefined,
    task: { taskId: `${purpose}:${session.id}`, attempt: 0, generation },
    checkpoint: () => {
      session.isAlive();
      session.guard.check();
    },
  };
}
