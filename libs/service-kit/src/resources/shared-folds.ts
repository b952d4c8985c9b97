import { getOrCreate } from '@stave/domain';
import type { RecordedEvent } from '@stave/platform';
import { FoldSnapshots } from './fold-snapshots.js';
import type { Entry } from './resource-entry.js';

const SLOTS = 8192;

interface Step<S> {
  readonly event: RecordedEvent;
  readonly before: Entry<S>;
  readonly after: Entry<S>;
}

const byInitial = new WeakMap<object, SharedFolds<unknown>>();

/**
 * The last steps of folding, so that services of one process that follow the same streams fold an event once and hold one state. A step
 * is reused only for the same event object after the same entry object; states never change, and `evolve` is pure. Steps are held weakly:
 * old states of large groups must not stay in memory.
 */
export class SharedFolds<S> {
  /** The entry before the first event. */
  readonly blank: Entry<S>;
  private readonly snapshots = new WeakMap<object, FoldSnapshots<S>>();
  private readonly steps = new Array<WeakRef<Step<S>> | undefined>(SLOTS).fill(undefined);

  private constructor(initial: S) {
    this.blank = { state: initial, streamRevision: -1, position: -1, latest: '' };
  }

  /** Returns the instance for all models that begin with the same object: those of one resource type, which evolve alike. */
  static of<S>(initial: S): SharedFolds<S> {
    if (typeof initial !== 'object' || initial === null) return new SharedFolds(initial);
    // the initial object is of S, and so is every state folded from it
    return getOrCreate(byInitial, initial, () => new SharedFolds<unknown>(initial)) as SharedFolds<S>;
  }

  /** Returns the snapshots of the streams of this store. */
  snapshotsOf(store: object): FoldSnapshots<S> {
    return getOrCreate(this.snapshots, store, () => new FoldSnapshots<S>());
  }

  after(before: Entry<S>, event: RecordedEvent): Entry<S> | undefined {
    const step = this.steps[event.position % SLOTS]?.deref();
    return step?.event === event && step.before === before ? step.after : undefined;
  }

  keep(step: Step<S>): void {
    this.steps[step.event.position % SLOTS] = new WeakRef(step);
  }
}
