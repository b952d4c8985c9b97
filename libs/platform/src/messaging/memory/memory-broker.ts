import type { Answer } from '../serve-queue.js';
import { MemoryElections } from './memory-elections.js';

/** A message in transit. Requests have `answer`, of which the first call counts. */
export interface MemoryMessage {
  readonly subject: string;
  readonly payload: unknown;
  readonly answer?: (answer: Answer<unknown>) => void;
}

export interface MemoryReceiver {
  readonly pattern: string;
  readonly queue?: string;
  readonly receive: (message: MemoryMessage) => void;
}

export interface MemoryBrokerOptions {
  /**
   * Delivers payloads by reference instead of as JSON text; default false. They must be plain JSON values without
   * undefined members and must not be changed after sending or receiving; the size limit is not enforced.
   */
  readonly byReference?: boolean;
}

/** The broker that the clients of one process share: receivers by subject, and messages in transit. */
export class MemoryBroker {
  readonly byReference: boolean;
  readonly elections = new MemoryElections();
  private readonly exact = new Map<string, Set<MemoryReceiver>>();
  /** The receivers of patterns, with the tokens of each pattern. */
  private readonly patterns = new Map<MemoryReceiver, readonly string[]>();
  private readonly turns = new Map<string, number>();
  private outbox: (() => void)[] = [];

  constructor({ byReference = false }: MemoryBrokerOptions = {}) {
    this.byReference = byReference;
  }

  add(receiver: MemoryReceiver): void {
    const tokens = receiver.pattern.split('.');
    if (tokens.includes('*') || tokens.includes('>')) {
      this.patterns.set(receiver, tokens);
      return;
    }
    const known = this.exact.get(receiver.pattern) ?? new Set();
    this.exact.set(receiver.pattern, known.add(receiver));
  }

  remove(receiver: MemoryReceiver): void {
    this.patterns.delete(receiver);
    const known = this.exact.get(receiver.pattern);
    known?.delete(receiver);
    if (known?.size === 0) this.exact.delete(receiver.pattern);
  }

  /** Delivers asynchronously to receivers that exist now and at delivery. */
  publish(message: MemoryMessage): void {
    const receivers = this.receiversOf(message.subject);
    if (receivers.length === 0) return;
    this.post(() => {
      for (const receiver of receivers) if (this.listens(receiver)) receiver.receive(message);
    });
  }

  /** Delivers asynchronously to one receiver; calls `onNone` when none exists at delivery. */
  request(message: MemoryMessage, onNone: () => void): void {
    this.post(() => {
      const receivers = this.receiversOf(message.subject);
      if (receivers.length === 0) onNone();
      for (const receiver of receivers) receiver.receive(message);
    });
  }

  /** Resolves when everything that was sent before has been delivered. */
  flush(): Promise<void> {
    return new Promise(resolve => this.post(resolve));
  }

  private listens(receiver: MemoryReceiver): boolean {
    return this.patterns.has(receiver) || (this.exact.get(receiver.pattern)?.has(receiver) ?? false);
  }

  /** Returns every plain receiver, and of each queue the member whose turn it is. */
  private receiversOf(subject: string): readonly MemoryReceiver[] {
    const matching = [...(this.exact.get(subject) ?? [])];
    const tokens = subject.split('.');
    for (const [receiver, pattern] of this.patterns) if (subjectMatches(pattern, tokens)) matching.push(receiver);
    if (matching.length === 1 || matching.every(({ queue }) => queue === undefined)) return matching;
    const chosen = matching.filter(({ queue }) => queue === undefined);
    for (const queue of new Set(matching.flatMap(receiver => receiver.queue ?? []))) {
      const members = matching.filter(receiver => receiver.queue === queue);
      const turn = (this.turns.get(queue) ?? -1) + 1;
      this.turns.set(queue, turn);
      chosen.push(...members.slice(turn % members.length).slice(0, 1));
    }
    return chosen;
  }

  private post(delivery: () => void): void {
    this.outbox.push(delivery);
    if (this.outbox.length > 1) return;
    setImmediate(() => {
      const batch = this.outbox;
      this.outbox = [];
      for (const deliver of batch) deliver();
    });
  }
}

/** Whether a subject matches a pattern with `*` (one token) and `>` (one or more tokens, at the end), as in NATS. */
function subjectMatches(pattern: readonly string[], subject: readonly string[]): boolean {
  for (let at = 0; at < pattern.length; at++) {
    const wanted = pattern[at];
    if (wanted === '>') return subject.length > at;
    if (subject[at] === undefined || (wanted !== '*' && wanted !== subject[at])) return false;
  }
  return pattern.length === subject.length;
}
