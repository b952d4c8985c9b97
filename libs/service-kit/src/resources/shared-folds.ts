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
 * counts only for the very same event after the very same entry; states never change, and `evolve` is pure. Steps are held weakly: old
 * states of large groups must not stay.
 */
export class SharedFolds<S> {
  /** No event yet. */
  readonly blank: Entry<S>;
  private readonly snapshots = new WeakMap<object, FoldSnapshots<S>>();
  private readonly steps = new Array<WeakRef<Step<S>> | undefined>(SLOTS).fill(undefined);

  private constructor(initial: S) {
    this.blank = { state: initial, streamRevision: -1, position: -1, latest: '' };
  }

  /** One for all models that begin with the same object, as those of one resource type do; they evolve alike. */
  static of<S>(initial: S): SharedFolds<S> {
    if (typeof initial !== 'object' || initial === null) return new SharedFolds(initial);
    const known = byInitial.get(initial);
    if (known) return known as SharedFolds<S>; // the initial object is of S, and so is what was folded from it
    const made = new SharedFolds<S>(initial);
    byInitial.set(initial, made);
    return made;
  }

  /** Those of the streams of one store. */
  snapshotsOf(store: object): FoldSnapshots<S> {
    const known = this.snapshots.get(store);
    if (known) return known;
    const made = new FoldSnapshots<S>();
    this.snapshots.set(store, made);
    return made;
  }

  after(before: Entry<S>, event: RecordedEvent): Entry<S> | undefined {
    const step = this.steps[event.position % SLOTS]?.deref();
    return step?.event === event && step.before === before ? step.after : undefined;
  }

  keep(step: Step<S>): void {
    this.steps[step.event.position % SLOTS] = new WeakRef(step);
  }
}
