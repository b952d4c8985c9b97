import type { ClusterState, NodeGroupState, NodeState } from '@stave/domain';
import { clusterFold, groupFold, nodeFold } from '../services/models.js';
import type { Fold } from '../services/model.js';
import type { EventLog } from './event-log.js';

/** Folds a stream from its beginning. */
export function foldAnew<S>(log: EventLog, fold: Fold<S>, id: string): S {
  return log.read(`${fold.category}-${id}`).reduce((state, recorded) => fold.evolve(state, recorded), fold.initial);
}

class Folded<S> {
  private readonly known = new Map<string, { readonly state: S; readonly length: number }>();

  constructor(
    private readonly log: EventLog,
    private readonly fold: Fold<S>,
  ) {}

  of(id: string): S {
    const stream = this.log.read(`${this.fold.category}-${id}`);
    const before = this.known.get(id) ?? { state: this.fold.initial, length: 0 };
    if (before.length === stream.length) return before.state;
    const state = stream.slice(before.length).reduce((s, recorded) => this.fold.evolve(s, recorded), before.state);
    this.known.set(id, { state, length: stream.length });
    return state;
  }
}

/** What the log says now. {@link foldAnew} at the end of a schedule checks that folding on gives the same. */
export class Truth {
  readonly clusters: Folded<ClusterState>;
  readonly groups: Folded<NodeGroupState>;
  readonly nodes: Folded<NodeState>;

  constructor(log: EventLog) {
    this.clusters = new Folded(log, clusterFold);
    this.groups = new Folded(log, groupFold);
    this.nodes = new Folded(log, nodeFold);
  }
}
