import type { ClaimReply, ClaimRequest, ServiceName } from '@stave/contracts';
import type { Logger } from 'pino';
import type { Session } from '../session/session.js';
import type { ClaimRequests } from './claim-requests.js';

export interface ClaimWorkerOptions {
  readonly requests: ClaimRequests;
  readonly debounceMs: number;
  readonly log: Logger;
  readonly isClaiming: () => boolean;
  readonly onReply: (session: Session, request: ClaimRequest, reply: ClaimReply) => void;
  /** Reserved concurrency was freed. */
  readonly onReleased: () => void;
}

/** Claims the tasks of one driver from one service, one request at a time. */
export class ClaimWorker {
  private session: Session | undefined;
  private isScheduled = false;
  private isAsking = false;
  private askAgain = false;
  private hasMore = false;
  private cancelNext: () => void = () => undefined;

  constructor(
    readonly service: ServiceName,
    readonly driver: string,
    private readonly options: ClaimWorkerOptions,
  ) {}

  /** Whether the service may have more open tasks than the free concurrency allowed to claim. */
  get mayHaveMore(): boolean {
    return this.hasMore;
  }

  use(session: Session): void {
    this.session = session;
    this.isScheduled = false;
    this.askAgain = false;
  }

  /** Sends a claim request soon. Calls until then result in the same request. */
  wake(): void {
    const { session } = this;
    if (this.isScheduled || !session) return;
    this.isScheduled = true;
    session.after(this.options.debounceMs, () => {
      this.isScheduled = false;
      void this.ask(session);
    });
  }

  private async ask(session: Session): Promise<void> {
    this.askAgain = this.isAsking;
    const request = this.isAsking ? undefined : this.request(session);
    if (!request) return;
    const { requests, log, onReleased } = this.options;
    this.isAsking = true;
    this.cancelNext();
    try {
      this.take(session, request, await requests.send(this.service, request));
    } catch (error) {
      log.debug({ err: error, service: this.service, session: session.id }, 'claim request was not answered');
    } finally {
      this.isAsking = false;
      requests.release(this.driver, request);
      onReleased();
      if (this.askAgain || this.hasMore) this.wake();
    }
  }

  private request(session: Session): ClaimRequest | undefined {
    if (!session.isAlive() || session !== this.session || !this.options.isClaiming()) return undefined;
    const request = this.options.requests.reserve(session, this.driver);
    if (request === undefined) return undefined;
    this.hasMore = request === 'limit-reached';
    return request === 'limit-reached' ? undefined : request;
  }

  private take(session: Session, request: ClaimRequest, reply: ClaimReply): void {
    if (reply.ended) session.finish('ended');
    if (!session.isAlive()) return;
    this.hasMore = reply.tasks.length >= request.max;
    this.options.onReply(session, request, reply);
    if (reply.nextInMs !== undefined) this.cancelNext = session.after(reply.nextInMs, () => this.wake());
  }
}
