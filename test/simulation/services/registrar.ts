import { decideRing, RING_STREAM, type ConductorJoined, type RingCommand } from '@stave/domain';
import type { Network } from '../kernel/network.js';
import type { Process } from '../kernel/process.js';
import type { EventLog } from '../world/event-log.js';
import type { Mutation } from '../world/mutation.js';
import type { Models } from './models.js';

export const SESSION_TIMEOUT_MS = 8_000;

/** Keeps the ring stream. Only the elected replica answers heartbeats and ends silent sessions. */
export class Registrar {
  private readonly heard = new Map<string, number>();
  /** Their end is on its way to the log: no heartbeat is answered any more. */
  private readonly condemned = new Set<string>();
  private electedSince: number | undefined;

  constructor(
    private readonly host: Process,
    private readonly network: Network,
    private readonly log: EventLog,
    private readonly models: Models,
    private readonly mutation?: Mutation,
  ) {}

  elect(elected: boolean): void {
    if (!elected) this.electedSince = undefined;
    else this.electedSince ??= this.host.clock();
  }

  get elected(): boolean {
    return this.electedSince !== undefined;
  }

  execute(command: RingCommand, done: (ok: boolean) => void, allowed = (): boolean => true): void {
    const { ringState } = this.models.refreshRing();
    const decision = decideRing(command, ringState);
    if (!decision.ok || !allowed()) return done(false);
    if (decision.events.length === 0) return done(true);
    this.network.request<boolean>(
      this.host,
      undefined,
      reply => reply(this.log.append(RING_STREAM, ringState.epoch, decision.events)),
      accepted => (accepted === false ? this.execute(command, done, allowed) : done(accepted === true)),
    );
  }

  /**
   * `basedOn`: the epoch that the conductor was told when it began to register. A registration that another of the same
   * conductor has overtaken since is refused; else a late one would end the session that came after it.
   */
  join(data: ConductorJoined, basedOn: number, done: (ok: boolean) => void): void {
    this.heard.set(data.session, this.host.clock());
    this.execute({ type: 'Join', ...data }, done, () => this.mayJoin(data, basedOn));
  }

  private mayJoin({ conductor, session }: ConductorJoined, basedOn: number): boolean {
    if (this.mutation === 'overtaken-join') return true;
    const since = this.log.read(RING_STREAM).slice(basedOn + 1);
    return !since.some(({ event }) => {
      const joined = event.type === 'ConductorJoined' ? (event.data as ConductorJoined) : undefined;
      return joined?.conductor === conductor && joined.session !== session;
    });
  }

  beat(session: string): 'ok' | 'ended' | 'unknown' {
    const ring = this.models.refreshRing();
    if (this.condemned.has(session)) return 'unknown';
    if (ring.isLive(session)) this.heard.set(session, this.host.clock());
    return ring.isLive(session) ? 'ok' : ring.ringState.ended.has(session) ? 'ended' : 'unknown';
  }

  expire(): void {
    if (this.electedSince === undefined) return;
    for (const { conductor, session } of this.models.ring.members()) {
      const since = Math.max(this.heard.get(session) ?? 0, this.electedSince);
      if (this.host.clock() - since > SESSION_TIMEOUT_MS) {
        this.condemned.add(session);
        this.execute({ type: 'Expire', conductor, session }, () => undefined);
      }
    }
  }
}
