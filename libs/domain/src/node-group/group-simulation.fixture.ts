import { hasCondition } from '../kernel/condition.js';
import { AT, foldAll } from '../kernel/given.fixture.js';
import { instantMs, instantOf } from '../kernel/instant.js';
import { nodeGroupStream } from './evolve-node-group.js';
import type { ReconcileInput } from './group-facts.js';
import { isStaying } from './group-membership.js';
import { isGrowing } from './growth.js';
import type { NodeGroupEvent } from './node-group-events.js';
import { defaultUpdateStrategy, type NodeGroupSpec } from './node-group-spec.js';
import { nodeGroupStatusReason, type Member, type NodeGroupState } from './node-group-state.js';
import type { MemberView } from './member-view.js';
import { reconcileNodeGroup } from './reconcile-node-group.js';
import { takenNodes } from './taken-nodes.js';

export const spec = (count: number, zones: readonly string[] = []): NodeGroupSpec => ({
  role: 'worker',
  count,
  minCount: 0,
  flavor: { cpus: 1, memoryMb: 1 },
  zones: zones.map(name => ({ name })),
  labels: {},
  taints: [],
  conductorGroup: null,
  options: {},
});

/** Returns the state with its conditions as flags. */
export const summaryOf = (state: NodeGroupState) => ({
  ...state,
  failed: hasCondition(state, 'Failed'),
  planDeviated: hasCondition(state, 'PlanDeviated'),
  statusReason: nodeGroupStatusReason(state),
});

/** Throws Error where a node does not stay any more and is not among those that the events take. */
function requireAllTaken(before: NodeGroupState, events: readonly NodeGroupEvent[], after: NodeGroupState): void {
  const taken = new Set(takenNodes(before, events).map(({ nodeId }) => nodeId));
  for (const member of before.deleting ? [] : before.members.values()) {
    const now = after.members.get(member.id);
    const stays = now !== undefined && isStaying(now) && !after.deleting;
    if (isStaying(member) && !stays && !taken.has(member.id))
      throw new Error(`${member.id} leaves by events that do not say so: ${JSON.stringify(events)}`);
  }
}

/** Simulates a group. The test decides what happens to its nodes. */
export class Simulation {
  state: NodeGroupState;
  readonly nodes = new Map<string, MemberView>();
  readonly log: NodeGroupEvent[] = [];
  /** The change of labels and taints that each node has. */
  private readonly metadataGeneration = new Map<string, number>();
  /** Why no node can be built, when the cluster has failed. */
  blocked: string | undefined;
  policies: ReconcileInput['policies'];
  holdsData: ReconcileInput['holdsData'];
  /** The simulated time, which only tests of policies let pass. */
  nowMs = instantMs(AT);
  wakesAt = Infinity;
  private ids = 0;

  /** With a name, the group was created with its cluster. */
  constructor(count: number, zones: readonly string[] = [], name?: string) {
    const operation = { id: 'op0', kind: 'node-group.create', total: count };
    const decided = { ...spec(count, zones), updateStrategy: defaultUpdateStrategy };
    const data = { id: name ?? 'g', clusterId: 'c', projectId: 'p', name: name ?? 'web', spec: decided };
    const cause = name === undefined ? { operationId: 'op0', operation } : { operationId: 'create' };
    const created = { type: 'NodeGroupCreated', data: { ...data, ...cause } } as const;
    this.state = foldAll(nodeGroupStream, [created]);
    this.log.push(created);
  }

  get summary() {
    return summaryOf(this.state);
  }

  append(...events: readonly NodeGroupEvent[]): void {
    const before = this.state;
    this.fold(events);
    requireAllTaken(before, events, this.state);
  }

  private fold(events: readonly NodeGroupEvent[]): void {
    for (const event of events) {
      this.state = nodeGroupStream.evolve(this.state, event, instantOf(this.nowMs));
      this.log.push(event);
      for (const { id } of event.type === 'NodesAdded' ? event.data.nodes : [])
        this.metadataGeneration.set(id, this.state.metadataGeneration);
      const awaiting = [...this.state.members.values()].filter(m => m.release && !m.leaving).length;
      if (this.state.awaiting !== awaiting)
        throw new Error(`${this.state.awaiting} await their release, not ${awaiting}`);
    }
  }

  freshId(): string {
    return `n${++this.ids}`;
  }

  /** Reconciles. Throws when a group that `isGrowing` has something to decide while its nodes are built for the first time. */
  next(): readonly NodeGroupEvent[] {
    const events = reconcileNodeGroup(this.state, {
      nodes: id => this.view(id),
      freshIds: n => Array.from({ length: n }, () => this.freshId()),
      now: instantOf(this.nowMs),
      wake: ms => (this.wakesAt = ms),
      ...(this.blocked === undefined ? {} : { blocked: this.blocked }),
      ...(this.policies === undefined ? {} : { policies: this.policies }),
      ...(this.holdsData === undefined ? {} : { holdsData: this.holdsData }),
    });
    if (events.length > 0 && this.blocked === undefined && isGrowing(this.state) && this.isBuilding())
      throw new Error(`a growing group decided ${JSON.stringify(events)}`);
    for (const { nodeId, discards } of takenNodes(this.state, events))
      if (!discards && this.holdsData?.(nodeId) && !this.view(nodeId)?.failed?.isGone)
        throw new Error(`${nodeId} is taken with its data by ${JSON.stringify(events)}`);
    return events;
  }

  /** Returns whether each node is in service or being built, and not all are in service. */
  private isBuilding(): boolean {
    const views = this.memberIds().map(id => this.view(id));
    const { length } = views.filter(view => view?.ready && !view.busy);
    return length < views.length && views.every(v => v?.ready || !(v?.failed ?? v?.removalFailure ?? v?.deleted));
  }

  /** Returns the node as the group sees it. A node that a rollout has started is out of service. */
  view(id: string): MemberView | undefined {
    const view = this.nodes.get(id);
    const member = this.state.members.get(id);
    if (!view || !member) return view;
    const isInBatch = member.rolloutId !== undefined && view.completedRolloutId !== member.rolloutId && view.ready;
    const isOutdated =
      view.ready &&
      (this.metadataGeneration.get(id) ?? this.state.metadataGeneration) !== this.state.metadataGeneration;
    return { ...view, ...(isInBatch ? { busy: true } : {}), ...(isOutdated ? { hasOutdatedMetadata: true } : {}) };
  }

  /** Reconciles until no event follows. */
  settle(): void {
    for (let round = 0; round < 60; round++) {
      const events = this.next();
      if (events.length === 0) return;
      this.append(...events);
    }
    throw new Error(`not settled: ${JSON.stringify(this.next())}`);
  }

  set(id: string, view: Partial<MemberView>): void {
    const { rolloutId } = this.state.members.get(id) ?? {};
    const progress = view.ready && rolloutId !== undefined ? { completedRolloutId: rolloutId } : {};
    if (view.ready) this.metadataGeneration.set(id, this.state.metadataGeneration);
    this.nodes.set(id, { ready: false, deleted: false, ...progress, ...view });
  }

  fail(id: string, reason = 'broken'): void {
    this.set(id, { failed: { class: 'permanent', reason } });
  }

  /** Marks the removal of the node as failed permanently. */
  stick(id: string, reason = 'stuck'): void {
    const operationId = this.state.members.get(id)?.operationId ?? '';
    this.set(id, { removalFailure: { operationId, reason } });
  }

  /** Runs until nothing can happen any more. The test decides whether work succeeds. */
  exhaust(ends: () => boolean): void {
    for (let round = 0; round < 200; round++) {
      this.settle();
      const open = [...this.state.members.values()].filter(m => this.isUnderWay(m));
      if (open.length === 0 && this.next().length === 0) return;
      for (const { id } of open) this.end(id, ends());
    }
    throw new Error('does not result in an end');
  }

  /** Ends the work of the node. */
  end(id: string, well: boolean): void {
    const leaving = this.state.members.get(id)?.leaving;
    const { hasOutdatedMetadata, busy } = this.view(id) ?? {};
    if (well) this.set(id, leaving ? { deleted: true } : { ready: true });
    else if (leaving && this.state.forced) this.set(id, { deleted: true, abandoned: 'stuck' });
    else if (leaving) this.stick(id);
    else if (hasOutdatedMetadata && !busy) this.refuseUpdate(id);
    else this.fail(id);
  }

  /** Fails the update of its labels. */
  private refuseUpdate(id: string): void {
    const view = this.nodes.get(id);
    if (!view) return;
    this.nodes.set(id, {
      ...view,
      metadataUpdateFailure: { operationId: this.state.lastOperationId, reason: 'no such label' },
    });
  }

  /** Returns whether work that failed for an earlier operation is retried for the latest. */
  isUnderWay({ id, leaving, operationId }: Member): boolean {
    const view = this.view(id);
    if (leaving)
      return !view?.deleted && (this.state.forced === true || view?.removalFailure?.operationId !== operationId);
    if (this.blocked !== undefined) return false;
    const lags = view?.hasOutdatedMetadata && view.metadataUpdateFailure?.operationId !== this.state.lastOperationId;
    return view?.ready ? view.busy === true || lags === true : !view?.failed;
  }

  /** Deletes leaving nodes and makes the others ready. */
  allWell(): void {
    for (let round = 0; round < 60; round++) {
      for (const member of this.state.members.values())
        this.set(member.id, member.leaving ? { deleted: true } : { ready: true });
      const before = this.log.length;
      this.settle();
      if (this.log.length === before) return;
    }
    throw new Error('does not result in rest');
  }

  memberIds(): string[] {
    return [...this.state.members.keys()];
  }

  of<T extends NodeGroupEvent['type']>(type: T): readonly Extract<NodeGroupEvent, { type: T }>[] {
    return this.log.filter((e): e is Extract<NodeGroupEvent, { type: T }> => e.type === type);
  }
}
