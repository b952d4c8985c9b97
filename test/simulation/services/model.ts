import type { Decision, DomainEvent } from '@stave/domain';
import type { Process } from '../kernel/process.js';
import type { Network } from '../kernel/network.js';
import { Violation } from '../kernel/simulator.js';
import type { EventLog, Meta, Recorded } from '../world/event-log.js';

export interface Entry<S> {
  readonly state: S;
  readonly revision: number;
}

export type Executed<S> = { readonly ok: true; readonly state: S } | { readonly ok: false; readonly code: string };

export interface Fold<S> {
  readonly category: string;
  readonly initial: S;
  evolve(state: S, recorded: Recorded): S;
}

const MAX_TRIES = 8;

/** One replica's view of one kind of resource: folded from the log as it arrives, ahead of it by its own appends. */
export class Model<S> {
  readonly entries = new Map<string, Entry<S>>();

  constructor(
    private readonly host: Process,
    private readonly network: Network,
    private readonly log: EventLog,
    readonly fold: Fold<S>,
  ) {}

  get(id: string): S | undefined {
    return this.entries.get(id)?.state;
  }

  stream(id: string): string {
    return `${this.fold.category}-${id}`;
  }

  apply(recorded: Recorded): void {
    const id = recorded.stream.slice(this.fold.category.length + 1);
    const { state, revision } = this.entry(id);
    if (recorded.revision <= revision) return;
    if (recorded.revision !== revision + 1)
      throw new Violation('gap-in-fold', `${recorded.stream}@${recorded.revision} after ${revision}`);
    this.entries.set(id, { state: this.fold.evolve(state, recorded), revision: recorded.revision });
  }

  /** What the log has now, whatever arrived so far. */
  load(id: string): Entry<S> {
    const known = this.log.read(this.stream(id));
    for (let i = this.entry(id).revision + 1; i < known.length; i++) {
      const recorded = known[i];
      if (recorded) this.apply(recorded);
    }
    return this.entry(id);
  }

  /** Decides on what this replica knows, appends across the network, decides again when another came first. */
  execute(
    id: string,
    decide: (state: S) => Decision<DomainEvent>,
    done: (result: Executed<S>) => void = () => undefined,
    meta: Meta = {},
  ): void {
    this.attempt(id, decide, done, meta, 0);
  }

  private attempt(
    id: string,
    decide: (state: S) => Decision<DomainEvent>,
    done: (result: Executed<S>) => void,
    meta: Meta,
    tries: number,
  ): void {
    const again = (): void => this.attempt(id, decide, done, meta, tries + 1);
    const { state, revision } = this.entry(id);
    const decision = decide(state);
    if (!decision.ok) {
      if (tries === 0 && this.load(id).revision !== revision) return again();
      return done({ ok: false, code: decision.refusal.code });
    }
    const { events } = decision;
    if (events.length === 0) return done({ ok: true, state });
    this.network.request<boolean>(
      this.host,
      undefined,
      reply => reply(this.log.append(this.stream(id), revision, events, meta)),
      accepted => {
        const now = this.load(id);
        if (accepted) done({ ok: true, state: now.state });
        else if (accepted === undefined || tries >= MAX_TRIES) done({ ok: false, code: 'unavailable' });
        else again();
      },
    );
  }

  private entry(id: string): Entry<S> {
    return this.entries.get(id) ?? { state: this.fold.initial, revision: -1 };
  }
}
