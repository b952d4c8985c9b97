import type { ClaimReply, ClaimRequest, ServiceName } from '@stave/contracts';
import type { Session } from '../session/session.js';
import type { ClaimLoop } from './claim-loop.js';

/** Claims the tasks of one driver from one service, one request at a time. */
export class ClaimWorker {
  private session: Session | undefined;
  private isScheduled = false;
  private isAsking = false;
  private askAgain = false;
  private hasMore = false;
  private heldBack = false;
  private cancelNext: () => void = () => undefined;

  constructor(
    readonly service: ServiceName,
    readonly driver: string,
    private readonly loop: Pick<ClaimLoop, 'context' | 'reserve' | 'send' | 'take' | 'release'>,
  ) {}

  /** Whether the service may have more open tasks than the free concurrency allowed to claim. */
  get mayHaveMore(): boolean {
    return this.hasMore;
  }

  /** Whether the service has more open tasks, of projects without room at this conductor. */
  get isHeldBack(): boolean {
    return this.heldBack;
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
    session.after(this.loop.context.times.hintDebounceMs, () => {
      this.isScheduled = false;
      void this.ask(session);
    });
  }

  private async ask(session: Session): Promise<void> {
    this.askAgain = this.isAsking;
    const request = this.isAsking ? undefined : this.request(session);
    if (!request) return;
    const { service, driver, loop } = this;
    this.isAsking = true;
    this.cancelNext();
    try {
      this.take(session, request, await loop.send(service, request));
    } catch (error) {
      loop.context.log.debug({ err: error, service, session: session.id }, 'claim request was not answered');
    } finally {
      this.isAsking = false;
      loop.release(driver, request);
      if (this.askAgain || this.hasMore) this.wake();
    }
  }

  private request(session: Session): ClaimRequest | undefined {
    const request = session.isAlive() && session === this.session && this.loop.reserve(session, this.driver);
    if (!request) return undefined;
    this.hasMore = request === 'limit-reached';
    return request === 'limit-reached' ? undefined : request;
  }

  private take(session: Session, request: ClaimRequest, reply: ClaimReply): void {
    if (reply.ended) session.finish('ended');
    if (!session.isAlive()) return;
    this.hasMore = reply.tasks.length >= request.max;
    this.heldBack = reply.heldBack === true;
    this.loop.take(session, request, reply);
    if (reply.nextInMs !== undefined) this.cancelNext = session.after(reply.nextInMs, () => this.wake());
  }
}
