import type { AppendResult, ExpectedRevision, NewEvent } from '@stave/platform';
import { eventually } from '@stave/testing';
import { WatchedStore } from '../services/watched-store.js';

/** How long an append is held at most, when no other replica appends to its stream. */
const HELD_MS = 20_000;

/**
 * A store in which single appends are late, as from a sender that ended while they were on their way: they arrive after another replica has
 * taken over and has appended to the same stream.
 */
export class LateAppends extends WatchedStore {
  /** How many late appends came after one of another sender, and how many of these were refused. */
  readonly counts = { overtaken: 0, overtakenRefused: 0 };
  private readonly appended = new Map<string, number>();
  private holding = false;
  private isLate: (types: readonly string[]) => boolean = () => false;

  /** `isLate`: whether an append of events of these types has to be late. It may end processes. */
  lateWhen(isLate: (types: readonly string[]) => boolean): void {
    this.isLate = isLate;
  }

  override async append(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    const types = events.map(({ type }) => type);
    const overtaken = !this.holding && this.isLate(types) && (await this.hold(stream));
    try {
      const result = await super.append(stream, events, expected);
      this.appended.set(stream, (this.appended.get(stream) ?? 0) + 1);
      return result;
    } catch (error) {
      if (overtaken) this.counts.overtakenRefused += 1;
      throw error;
    } finally {
      if (overtaken) this.counts.overtaken += 1;
    }
  }

  /** Returns whether another append to the stream came first. */
  private async hold(stream: string): Promise<boolean> {
    const before = this.appended.get(stream) ?? 0;
    this.holding = true;
    const isOvertaken = (): boolean => (this.appended.get(stream) ?? 0) > before;
    await eventually(isOvertaken, { timeoutMs: HELD_MS }).catch(() => undefined);
    this.holding = false;
    return isOvertaken();
  }
}
