import { decideRing, RING_STREAM, type ConductorJoined, type RingCommand } from '@stave/domain';
import type { Network } from '../kernel/network.js';
import type { Process } from '../kernel/process.js';
import type { EventLog } from '../world/event-log.js';
import type { Mutation } from '../world/mutation.js';
import type { Models } from './models.js';

/** cluster-service's writer of the ring stream (apps/cluster-service/src/ring/ring-registrar.ts) over the same decider. */
export class Registrar {
  constructor(
    private readonly host: Process,
    private readonly network: Network,
    private readonly log: EventLog,
    private readonly models: Models,
    private readonly mutation?: Mutation,
  ) {}

  /** What a registration that begins now is based on. */
  epoch(): number {
    return this.models.refreshRing().epoch;
  }

  register(data: ConductorJoined, basedOn: number, done: (joined: boolean) => void): void {
    const check = this.mutation === 'overtaken-join' ? {} : { basedOn };
    this.execute({ type: 'Join', ...data, ...check }, done);
  }

  expire(conductor: string, session: string, done: (ended: boolean) => void): void {
    this.execute({ type: 'Expire', conductor, session }, done);
  }

  private execute(command: RingCommand, done: (ok: boolean) => void): void {
    const { ringState } = this.models.refreshRing();
    const decision = decideRing(command, ringState);
    if (!decision.ok) return done(false);
    if (decision.events.length === 0) return done(true);
    this.network.request<boolean>(
      this.host,
      undefined,
      reply => reply(this.log.append(RING_STREAM, ringState.epoch, decision.events)),
      accepted => {
        if (accepted === false) return this.execute(command, done);
        this.models.refreshRing();
        done(accepted === true);
      },
    );
  }
}
