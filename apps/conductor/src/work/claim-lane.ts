import type { ClaimReply, ClaimRequest, HeldClaim, ServiceName, Task } from '@stave/contracts';
import type { Logger } from 'pino';
import type { ServiceClient } from '../service-client.js';
import type { Session } from '../session/session.js';
import type { SlotTable } from '../ring/slot-table.js';
import type { ConcurrencyLimiter } from './concurrency-limiter.js';

export interface ClaimLaneParts {
  readonly client: ServiceClient;
  readonly conductor: string;
  readonly room: ConcurrencyLimiter;
  readonly debounceMs: number;
  readonly log: Logger;
  readonly table: () => SlotTable;
  /** Whether work recorded with this version can be done now. */
  readonly canRun: (driver: string, version: string) => boolean;
  readonly isClaiming: () => boolean;
  readonly onTask: (session: Session, task: Task) => void;
  readonly onHeld: (session: Session, held: HeldClaim) => void;
  readonly onEpoch: (epoch: number) => void;
  /** ConcurrencyLimiter that was reserved and not used. */
  readonly onRoom: () => void;
}

/** Asks one service for one driver's tasks, one request at a time. */
export class ClaimLane {
  private session: Session | undefined;
  private waking = false;
  private asking = false;
  private again = false;
  private starved = false;
  private cancelNext: () => void = () => undefined;

  constructor(
    readonly service: ServiceName,
    readonly driver: string,
    private readonly parts: ClaimLaneParts,
  ) {}

  /** There may be more than there was room for. */
  get isHungry(): boolean {
    return this.starved;
  }

  use(session: Session): void {
    this.session = session;
    this.waking = false;
    this.again = false;
  }

  /** Asks soon; what wakes it meanwhile is covered by the same request. */
  wake(): void {
    const session = this.session;
    if (this.waking || !session) return;
    this.waking = true;
    session.after(this.parts.debounceMs, () => {
      this.waking = false;
      void this.ask(session);
    });
  }

  private async ask(session: Session): Promise<void> {
    this.again = this.asking;
    const request = this.asking ? undefined : this.request(session);
    if (!request) return;
    this.asking = true;
    this.cancelNext();
    try {
      this.take(session, request, await this.parts.client.ask<ClaimReply>(this.service, ['task', 'claim'], request));
    } catch (error) {
      this.parts.log.debug({ err: error, service: this.service, session: session.id }, 'claim was not answered');
    } finally {
      this.asking = false;
      this.parts.room.add(this.driver, -request.max);
      this.parts.onRoom();
      if (this.again || this.starved) this.wake();
    }
  }

  /** Undefined when there is nothing to ask for or no room. Reserves the room that it asks for. */
  private request(session: Session): ClaimRequest | undefined {
    const { conductor, room, table, canRun, isClaiming } = this.parts;
    if (!session.isAlive() || session !== this.session || !isClaiming()) return undefined;
    const { epoch, holdings } = table();
    const mine = holdings
      .filter(holding => holding.driver === this.driver && canRun(holding.driver, holding.version))
      .map(({ key, version, slots }) => ({ key, version, slots }));
    if (mine.length === 0) return undefined;
    const max = room.reserve(this.driver);
    this.starved = max === 0;
    return max === 0 ? undefined : { conductor, session: session.id, epoch, holdings: mine, max };
  }

  private take(session: Session, request: ClaimRequest, reply: ClaimReply): void {
    if (reply.ended) session.finish('ended');
    if (!session.isAlive()) return;
    this.starved = reply.tasks.length >= request.max;
    for (const task of reply.tasks) this.parts.onTask(session, task);
    for (const held of reply.held ?? []) this.parts.onHeld(session, held);
    if (reply.epoch > request.epoch) this.parts.onEpoch(reply.epoch);
    if (reply.nextInMs !== undefined) this.cancelNext = session.after(reply.nextInMs, () => this.wake());
  }
}
