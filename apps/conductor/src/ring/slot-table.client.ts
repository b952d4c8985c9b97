import { Inject, Injectable } from '@nestjs/common';
import { epochSubject, RefusedError, type TableReply, type TableRequest } from '@stave/contracts';
import { gauge, type Messaging } from '@stave/platform';
import { ConductorContext } from '../conductor.context.js';
import { MESSAGING } from '../conductor.tokens.js';
import { fieldsOf } from '../message-fields.js';
import { ServiceClient } from '../service-client.js';
import type { Session } from '../session/session.js';
import { backoffMs } from '../time/backoff.js';
import { pause } from '../time/clock.js';
import { emptyTable, SlotTable } from './slot-table.js';

const slots = gauge({
  name: 'stave_conductor_slots',
  help: 'Slots that the conductors of this process hold, over all rings and recorded versions of drivers',
  labels: [],
});

export interface TableListener {
  onTable(table: SlotTable): void;
  /** The service asks this conductor to leave. `until`: ISO 8601, where the service names a deadline. */
  onDraining(until?: string): void;
}

/** Fetches the slot table whenever a newer epoch is known. */
@Injectable()
export class SlotTableClient {
  private table = emptyTable;
  private wanted = 0;
  private session: Session | undefined;
  private fetching = false;
  private listener: TableListener | undefined;

  constructor(
    private readonly client: ServiceClient,
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly context: ConductorContext,
  ) {
    slots.from({}, this, ({ table }) => table.size);
  }

  get current(): SlotTable {
    return this.table;
  }

  listen(listener: TableListener): void {
    this.listener = listener;
  }

  /** Keeps the table up to date until the session ends. */
  run(session: Session): void {
    this.session = session;
    this.table = emptyTable;
    this.wanted = session.terms.epoch;
    const subscription = this.messaging.subscribe(epochSubject, payload => {
      const epoch = typeof payload === 'number' ? payload : fieldsOf(payload)['epoch'];
      this.learnEpoch(typeof epoch === 'number' ? epoch : undefined);
    });
    session.onEnd(() => void subscription.close());
    this.fetch();
  }

  /** Fetches the table if this epoch is newer. `undefined`: there is a newer epoch, but its number is unknown. */
  learnEpoch(epoch: number | undefined): void {
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
    const { id, clock, times, log } = this.context;
    for (let attempt = 0; session.isAlive() && this.table.epoch < this.wanted; attempt++) {
      try {
        const request: TableRequest = { conductor: id, session: session.id };
        const reply = await this.client.ask<TableReply>('cluster-service', ['conductor', 'table'], request);
        if (!session.isAlive()) return;
        this.take(session, reply);
      } catch (error) {
        // the ring stream holds another session of this conductor, or none
        if (error instanceof RefusedError && error.error.code === 'session-ended') return session.finish('ended');
        const fields = { err: error, session: session.id, epoch: this.wanted };
        log.warn(fields, 'slot table request was not answered, retrying');
      }
      if (this.table.epoch < this.wanted) await pause(clock, backoffMs(attempt, times.retry), session.signal);
    }
  }

  private take(session: Session, reply: TableReply): void {
    if (reply.epoch > this.table.epoch) {
      this.table = new SlotTable(reply);
      const slots = reply.holdings.map(({ key, version, slots: held }) => [`${key}@${version}`, held.length]);
      const fields = { session: session.id, epoch: reply.epoch, slots: Object.fromEntries(slots) };
      this.context.log.info(fields, 'slot table');
      this.listener?.onTable(this.table);
    }
    if (reply.draining) this.listener?.onDraining(reply.drainUntil);
  }
}
