import {
  RefusedError,
  epochSubject,
  type EpochReply,
  type RegisterReply,
  type RegisterRequest,
  type TableReply,
} from '@stave/contracts';
import { decideRing, RING_STREAM, type JsonObject, type RingCommand, type RingEvent } from '@stave/domain';
import { newEvents, type AppendAdmission, type ServiceRuntime } from '@stave/service-kit';
import { WrongExpectedRevisionError } from '@stave/platform';

export interface RegistrarOptions {
  readonly installation: string;
  readonly heartbeatMs: number;
  readonly sessionTimeoutMs: number;
}

/** Keeps the ring stream: who joined, drains, left, is over. Any replica may; the expected revision decides. */
export class RingRegistrar {
  constructor(
    private readonly runtime: ServiceRuntime,
    private readonly options: RegistrarOptions,
  ) {
    const { ring, options: ports } = runtime;
    ring.onChange(() => ports.messaging.publish(epochSubject, { epoch: ring.view.epoch }));
  }

  /** The epoch of now, by the log itself: what a registration that begins now is based on. */
  async epoch(): Promise<EpochReply> {
    const { ring } = this.runtime;
    await ring.refresh();
    return { epoch: ring.view.epoch };
  }

  async register({ kind = 'conductor', ...request }: RegisterRequest): Promise<RegisterReply> {
    const { installation, heartbeatMs, sessionTimeoutMs } = this.options;
    const drivers = request.drivers.map(d => ({ ...d, manifest: d.manifest as JsonObject }));
    await this.execute({ type: 'Join', ...request, drivers, kind });
    return { installation, heartbeatMs, sessionTimeoutMs, epoch: this.runtime.ring.view.epoch };
  }

  async table(conductor: string, session: string): Promise<TableReply> {
    const { ring } = this.runtime;
    await ring.refresh();
    const member = ring.view.member(conductor);
    if (member?.session !== session)
      throw new RefusedError({ code: 'session-ended', kind: 'conflict', detail: 'this session is over' });
    const { drainingUntil } = member;
    return {
      epoch: ring.view.epoch,
      draining: drainingUntil !== undefined,
      ...(drainingUntil === undefined ? {} : { drainUntil: drainingUntil }),
      holdings: ring.view.holdings(conductor),
    };
  }

  async drain(conductor: string, deadline: string, admission?: AppendAdmission): Promise<void> {
    await this.runtime.ring.refresh();
    const member = this.runtime.ring.view.member(conductor);
    if (!member || member.kind === 'service')
      throw new RefusedError({ code: 'not-found', kind: 'not-found', detail: 'the conductor does not exist' });
    await this.execute({ type: 'Drain', conductor, session: member.session, deadline }, admission);
  }

  leave(conductor: string, session: string): Promise<void> {
    return this.execute({ type: 'Leave', conductor, session });
  }

  expire(conductor: string, session: string): Promise<void> {
    return this.execute({ type: 'Expire', conductor, session });
  }

  private async execute(command: RingCommand, admission?: AppendAdmission): Promise<void> {
    const { ring, options } = this.runtime;
    for (;;) {
      // others write too: neither a refusal nor "done already" may come from an old view
      await ring.refresh();
      const decision = decideRing(command, ring.view.ringState);
      if (!decision.ok)
        throw new RefusedError({
          code: decision.code.toLowerCase().replaceAll('_', '-'),
          kind: 'conflict',
          detail: decision.detail,
        });
      if (decision.events.length === 0) return;
      const write = { stream: RING_STREAM, after: ring.view.epoch, events: decision.events };
      if (admission && !(await admission.admits(write))) return;
      try {
        await this.append(decision.events, ring.view.epoch);
        await ring.refresh();
        return;
      } catch (error) {
        if (!(error instanceof WrongExpectedRevisionError)) throw error;
        options.log.debug('the ring moved, deciding again');
      }
    }
  }

  private async append(events: readonly RingEvent[], epoch: number): Promise<void> {
    const fresh = newEvents(
      RING_STREAM,
      epoch,
      events,
      { correlationId: RING_STREAM, actor: 'cluster-service' },
      new Date().toISOString(),
    );
    await this.runtime.options.eventStore.append(RING_STREAM, fresh, epoch < 0 ? 'no_stream' : epoch);
  }
}
