import type { DomainEvent, RingEvent } from '@stave/domain';
import type { Simulator } from '../kernel/simulator.js';
import type { Mutation } from './mutation.js';
import { AppendOracle } from './append-oracle.js';
import { Truth } from './truth.js';

/** Who said what an event follows from. */
export interface Meta {
  readonly session?: string;
}

export interface Recorded {
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
  readonly time: string;
  readonly event: DomainEvent | RingEvent;
}

const nothing: readonly Recorded[] = [];

/** The event store: streams with expected revision, one order over all. It never loses what it accepted. */
export class EventLog {
  readonly all: Recorded[] = [];
  readonly oracle = new AppendOracle();
  readonly truth = new Truth(this);
  private readonly streams = new Map<string, Recorded[]>();
  private readonly subscribers = new Set<() => void>();

  constructor(
    private readonly sim: Simulator,
    private readonly mutation?: Mutation,
  ) {}

  read(stream: string): readonly Recorded[] {
    return this.streams.get(stream) ?? nothing;
  }

  /** False when the stream moved on. `expected` is the last revision seen, -1 for none. */
  append(stream: string, expected: number, events: readonly Recorded['event'][], meta: Meta = {}): boolean {
    const known = this.streams.get(stream) ?? [];
    if (known.length - 1 !== expected && this.mutation !== 'expected-revision') return false;
    this.streams.set(stream, known);
    for (const event of events) {
      this.oracle.appended(stream, event, meta);
      const recorded = { stream, revision: known.length, position: this.all.length, time: this.sim.time, event };
      known.push(recorded);
      this.all.push(recorded);
      this.sim.trace(() => `${stream}@${recorded.revision} ${event.type} ${JSON.stringify(event.data)}`);
    }
    for (const tell of this.subscribers) tell();
    return true;
  }

  /** Called after each append. */
  onAppend(tell: () => void): void {
    this.subscribers.add(tell);
  }
}
