import { summaryOf } from '../node-group/group-simulation.fixture.js';
import type { Decision } from '../kernel/decider.js';
import { AT, foldAll } from '../kernel/given.fixture.js';
import { nodeGroupStream } from '../node-group/evolve-node-group.js';
import type { MemberView } from '../node-group/member-view.js';
import type { NodeGroupEvent } from '../node-group/node-group-events.js';
import type { Member, NodeGroupState } from '../node-group/node-group-state.js';
import { reconcileNodeGroup } from '../node-group/reconcile-node-group.js';

/** What becomes of the next thing under way: which one, and whether it goes well. */
export interface Turn {
  readonly pick: number;
  readonly well: boolean;
}

const MOST_ROUNDS = 5_000;

interface Node {
  readonly view: MemberView;
  /** Which labels and taints it has. */
  readonly metadataGeneration: number;
}

/** A group as its service runs it: the reconciler again and again, nodes that end in any order, well or not. */
export class PlannedRun {
  state: NodeGroupState;
  readonly log: NodeGroupEvent[] = [];
  private readonly world = new Map<string, Node>();
  private ids = 0;

  /** Begins with the event that creates the group. */
  constructor(created: NodeGroupEvent) {
    this.state = foldAll(nodeGroupStream, [created]);
    this.log.push(created);
  }

  static of(decision: Decision<NodeGroupEvent>): PlannedRun {
    const [created] = decision.ok ? decision.events : [];
    if (!created) throw new Error('the group was not created');
    return new PlannedRun(created);
  }

  append(...events: readonly NodeGroupEvent[]): void {
    for (const event of events) {
      this.state = nodeGroupStream.evolve(this.state, event, AT);
      this.log.push(event);
    }
  }

  get summary() {
    return summaryOf(this.state);
  }

  freshId = (): string => `n${++this.ids}`;

  readonly nodes = (id: string): MemberView | undefined => this.viewAt(id, this.state.metadataGeneration);

  /** As the group sees it that has these labels and taints. */
  viewAt(id: string, metadataGeneration: number): MemberView | undefined {
    const node = this.world.get(id);
    return (
      node && {
        ...node.view,
        ...(node.view.ready && node.metadataGeneration !== metadataGeneration ? { hasOutdatedMetadata: true } : {}),
      }
    );
  }

  /** At most so many rounds, else until nothing follows and nothing is under way; `turns` are used one after the other, over and over. */
  run(turns: readonly Turn[], rounds = MOST_ROUNDS): void {
    for (let round = 0; round < rounds; round++) {
      const events = reconcileNodeGroup(this.state, { nodes: this.nodes, freshIds: n => this.fresh(n) });
      this.append(...events);
      if (events.length > 0) continue;
      const open = [...this.state.members.values()].filter(m => this.isUnderWay(m));
      if (open.length === 0) return;
      const { pick, well } = turns[round % turns.length] ?? { pick: 0, well: true };
      const chosen = open[pick % open.length];
      if (chosen) this.end(chosen, well);
    }
    if (rounds === MOST_ROUNDS) throw new Error('does not result in rest');
  }

  allWell(): void {
    this.run([{ pick: 0, well: true }]);
  }

  memberAt(index: number): Member | undefined {
    const members = [...this.state.members.values()];
    return members[index % Math.max(1, members.length)];
  }

  private fresh(n: number): readonly string[] {
    return Array.from({ length: n }, this.freshId);
  }

  private end({ id, leaving, rolloutId }: Member, well: boolean): void {
    const failed = { class: 'permanent', reason: 'broken' };
    const progress = rolloutId === undefined ? {} : { completedRolloutId: rolloutId };
    const view: MemberView = leaving
      ? { ready: false, deleted: true }
      : well
        ? { ready: true, deleted: false, ...progress }
        : { ready: false, deleted: false, failed };
    this.world.set(id, { view, metadataGeneration: this.state.metadataGeneration });
  }

  private isUnderWay({ id, leaving, rolloutId }: Member): boolean {
    const view = this.nodes(id);
    if (leaving) return !view?.deleted;
    const isInBatch =
      rolloutId !== undefined && rolloutId === this.state.rollout?.id && view?.completedRolloutId !== rolloutId;
    return !view?.failed && (!view?.ready || view.hasOutdatedMetadata === true || isInBatch);
  }
}
