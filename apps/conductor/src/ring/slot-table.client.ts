import { epochSubject, RefusedError, type TableReply, type TableRequest } from '@stave/contracts';
import type { Messaging } from '@stave/platform';
import type { Logger } from 'pino';
import type { ConductorTimes } from '../config/conductor.settings.js';
import type { ServiceClient } from '../service-client.js';
import type { Session } from '../session/session.js';
import { backoffMs } from '../time/backoff.js';
import { pause, type Clock } from '../time/clock.js';
import { emptyTable, SlotTable } from './slot-table.js';

export interface SlotTableParts {
  readonly messaging: Messaging;
  readonly client: ServiceClient;
  readonly conductor: string;
  readonly clock: Clock;
  readonly times: ConductorTimes;
  readonly log: Logger;
}

export interface TableListener {
  onTable(table: SlotTable): void;
  /** The table says that this conductor is to leave. */
  /** `until`: ISO 8601, when the service named a deadline. */
  onDraining(until?: string): void;
}

/** Keeps the table of the newest epoch that anybody told of. */
export class SlotTableClient {
  private table = emptyTable;
  private wanted = 0;
  private session: Session | undefined;
  private fetching = false;

  private listener: TableListener | undefined;

  constructor(private readonly parts: SlotTableParts) {}

  listen(listener: TableListener): void {
    this.listener = listener;
  }

  get current(): SlotTable {
    return this.table;
  }

  /** Follows the ring until the session ends. */
  run(session: Session): void {
    this.session = session;
    this.table = emptyTable;
    this.wanted = session.terms.epoch;
    const subscription = this.parts.messaging.subscribe(epochSubject, payload => this.told(epochOf(payload)));
    session.onEnd(() => void subscription.close());
    this.fetch();
  }

  /** Somebody works with this epoch; undefined: with one that we do not know. */
  told(epoch: number | undefined): void {
    const known = Math.max(this.wanted, this.table.epoch);
    this.wanted = Math.max(known, epoch ?? this.table.epoch + 1);
    this.fetch();
  }

  private fetch(): void {
    const session = this.session;
    if (this.fetching || !session || this.table.epoch >= this.wanted) return;
    this.fetching = true;
    void this.fetchUntilWanted(session).finally(() => {
      this.fetching = false;
      if (this.session !== session) this.fetch();
    });
  }

  private async fetchUntilWanted(session: Session): Promise<void> {
    const { clock, times, log } = this.parts;
    for (let attempt = 0; session.isAlive() && this.table.epoch < this.wanted; attempt++) {
      try {
        const reply = await this.ask(session);
        if (!session.isAlive()) return;
        this.take(session, reply);
      } catch (error) {
        if (isOver(error)) return session.finish('ended');
        log.warn({ err: error, session: session.id, epoch: this.wanted }, 'slot table was not answered');
      }
      if (this.table.epoch < this.wanted) await pause(clock, backoffMs(attempt, times.retry), session.signal);
    }
  }

  private ask(session: Session): Promise<TableReply> {
    const request: TableRequest = { conductor: this.parts.conductor, session: session.id };
    return this.parts.client.ask<TableReply>('cluster-service', ['conductor', 'table'], request);
  }

  private take(session: Session, reply: TableReply): void {
    if (reply.epoch > this.table.epoch) {
      this.table = SlotTable.of(reply);
      this.parts.log.info({ session: session.id, epoch: reply.epoch, slots: slotCounts(reply) }, 'slot table');
      this.listener?.onTable(this.table);
    }
    if (reply.draining) this.listener?.onDraining(reply.drainUntil);
  }
}

/** The service asked its stream: this session is not this conductor's current one. */
function isOver(error: unknown): boolean {
  return error instanceof RefusedError && error.error.code === 'session-ended';
}

function epochOf(payload: unknown): number | undefined {
  if (typeof payload === 'number') return payload;
  if (typeof payload !== 'object' || payload === null || !('epoch' in payload)) return undefined;
  return typeof payload.epoch === 'number' ? payload.epoch : undefined;
}

function slotCounts(reply: TableReply): Record<string, number> {
  return Object.fromEntries(reply.holdings.map(({ key, version, slots }) => [`${key}@${version}`, slots.length]));
}
