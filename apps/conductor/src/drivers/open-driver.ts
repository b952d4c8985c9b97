import type { Driver, DriverContext, DriverLogger, DriverManifest } from '@stave/driver-sdk';
import type { ConductorContext } from '../conductor.context.js';
import type { Session } from '../session/session.js';
import { MemorySecretStore } from './memory-secret-store.js';

type CallContext = Pick<DriverContext, 'signal' | 'task' | 'checkpoint'> & Partial<DriverContext>;

/** A driver that is connected to its infrastructure. */
export class OpenDriver {
  /** The identities of the engines or clouds as last seen; undefined where the driver does not know them. */
  engines: readonly string[] | undefined;
  private readonly secrets = new MemorySecretStore();

  constructor(
    readonly manifest: DriverManifest,
    readonly driver: Driver,
    readonly log: DriverLogger,
    private readonly context: ConductorContext,
  ) {}

  /** Asks the driver for the identities of its engines or clouds. Throws what the driver throws. */
  async identify(ctx: DriverContext): Promise<readonly string[] | undefined> {
    const identity = await this.driver.identity?.(ctx);
    return (this.engines = typeof identity === 'string' ? [identity] : identity);
  }

  callContext(call: CallContext): DriverContext {
    const { log, secrets } = this;
    return { log, secrets, now: () => this.context.clock.now(), progress: () => undefined, ...call };
  }

  /** Returns the context of a call that a session makes without a task. `purpose`: the prefix of its id in journals. */
  sessionContext(session: Session, purpose: 'sweep' | 'health', generation = 0): DriverContext {
    return this.callContext({
      signal: AbortSignal.any([session.signal, AbortSignal.timeout(this.context.times.sweepTimeoutMs)]),
      task: { taskId: `${purpose}:${session.id}`, attempt: 0, generation },
      checkpoint: () => {
        session.isAlive();
        session.guard.check();
      },
    });
  }
}
