import { randomUUID } from 'node:crypto';
import { Election, Messaging } from '../messaging.port.js';

const TICK_MS = 100;
const ANNOUNCE_MS = 1000;
/** Milliseconds of silence after which a leader is replaced, or resigns because it does not receive its messages. */
const SILENCE_MS = 3000;
/** Milliseconds that a new candidate listens before it claims; a leader answers its question immediately. */
const NEWCOMER_MS = 500;
/** Milliseconds for which a claim must meet no objection. */
const SETTLE_MS = 200;

const KINDS = ['who', 'claim', 'lead', 'leave'] as const;
type Kind = (typeof KINDS)[number];

interface Announcement {
  readonly kind: Kind;
  readonly id: string;
}

function parse(payload: unknown): Announcement | undefined {
  const { kind, id }: Partial<Record<string, unknown>> = Object(payload);
  const known = KINDS.find(name => name === kind);
  return known && typeof id === 'string' ? { kind: known, id } : undefined;
}

/**
 * An election by messages alone. The leader announces itself every second. A claim succeeds when no peer objects. When
 * two leaders hear each other, the one with the greater id resigns. A candidate that does not receive its own messages
 * is disconnected: it neither claims nor leads.
 */
export class PeerElection implements Election {
  private readonly id: string;
  private readonly subject: string;
  private readonly subscription: { close(): Promise<void> };
  private readonly timer: NodeJS.Timeout;
  leading = false;
  private closed = false;
  private patienceEnds = performance.now() + NEWCOMER_MS;
  private spokenAt = -Infinity;
  private heardSelfAt = -Infinity;
  private claimedAt: number | undefined;

  constructor(
    private readonly messaging: Pick<Messaging, 'publish' | 'subscribe'>,
    role: string,
    candidate: string,
    private readonly onChange: (leading: boolean) => void,
  ) {
    this.id = `${candidate}#${randomUUID()}`;
    this.subject = `stave.elect.${encodeURIComponent(role).replaceAll('.', '%2E').replaceAll('*', '%2A')}`;
    this.subscription = messaging.subscribe(this.subject, payload => this.hear(parse(payload)));
    this.timer = setInterval(() => this.tick(performance.now()), TICK_MS);
    this.timer.unref();
    this.say('who');
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    clearInterval(this.timer);
    if (this.leading) this.say('leave');
    this.set(false);
    await this.subscription.close();
  }

  private tick(now: number): void {
    if (this.leading) {
      if (now - this.heardSelfAt > SILENCE_MS) this.follow(now);
      else if (now - this.spokenAt >= ANNOUNCE_MS) this.say('lead');
    } else if (this.claimedAt !== undefined) {
      if (now - this.claimedAt >= SETTLE_MS) this.win(now);
    } else if (now >= this.patienceEnds && now - this.spokenAt >= ANNOUNCE_MS / 2) {
      this.say('claim');
    }
  }

  private hear(said: Announcement | undefined): void {
    if (said === undefined || this.closed) return;
    const now = performance.now();
    if (said.id === this.id) this.hearSelf(said.kind, now);
    else if (said.kind === 'leave') this.patienceEnds = now;
    else if (said.kind === 'lead') this.hearLeader(said.id, now);
    else if (this.leading) this.say('lead');
    else if (said.kind === 'claim' && said.id < this.id) this.follow(now);
  }

  private hearSelf(kind: Kind, now: number): void {
    this.heardSelfAt = now;
    if (kind === 'claim' && !this.leading && now >= this.patienceEnds) this.claimedAt ??= now;
  }

  private hearLeader(other: string, now: number): void {
    if (this.leading && this.id < other) this.say('lead');
    else this.follow(now);
  }

  private win(now: number): void {
    this.claimedAt = undefined;
    if (now - this.heardSelfAt > SILENCE_MS) return;
    this.set(true);
    this.say('lead');
  }

  private follow(now: number): void {
    this.claimedAt = undefined;
    this.patienceEnds = now + SILENCE_MS;
    this.set(false);
  }

  private say(kind: Kind): void {
    this.spokenAt = performance.now();
    this.messaging.publish(this.subject, { kind, id: this.id } satisfies Announcement);
  }

  private set(leading: boolean): void {
    if (this.leading === leading) return;
    this.leading = leading;
    this.onChange(leading);
  }
}
