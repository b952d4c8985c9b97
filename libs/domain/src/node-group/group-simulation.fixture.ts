import { hasCondition } from '../kernel/condition.js';
import { AT } from '../kernel/given.fixture.js';
import { nodeGroupStream } from './evolve-node-group.js';
import type { NodeGroupEvent } from './node-group-events.js';
import type { NodeGroupSpec } from './node-group-spec.js';
import { nodeGroupStatusReason, type Member, type NodeGroupState } from './node-group-state.js';
import { reconcileNodeGroup, type MemberView } from './reconcile-node-group.js';
import { defaultUpdateStrategy } from './update-strategy.js';

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

/** The state with its conditions as flags. */
export const summaryOf = (state: NodeGroupState) => ({
  ...state,
  failed: hasCondition(state, 'Failed'),
  planDeviated: hasCondition(state, 'PlanDeviated'),
  statusReason: nodeGroupStatusReason(state),
});

/** A group with nodes that become what the test says. */
export class Simulation {
  state: NodeGroupState;
  readonly nodes = new Map<string, MemberView>();
  readonly log: NodeGroupEvent[] = [];
  /** Which change of labels and taints each node has. */
  private readonly metadataGeneration = new Map<string, number>();
  /** Its cluster has failed. */
  blocked: string | undefined;
  private ids = 0;

  /** With a name it is one of the groups that its cluster was asked for with. */
  constructor(count: number, zones: readonly string[] = [], name?: string) {
    const operation = { id: 'op0', kind: 'node-group.create', total: count };
    const decided = { ...spec(count, zones), updateStrategy: defaultUpdateStrategy };
    const data = { id: name ?? 'g', clusterId: 'c', projectId: 'p', name: name ?? 'web', spec: decided };
    const cause = name === undefined ? { operationId: 'op0', operation } : { operationId: 'create' };
    this.state = nodeGroupStream.initial;
    this.append({ type: 'NodeGroupCreated', data: { ...data, ...cause } });
  }

  get summary() {
    return summaryOf(this.state);
  }

  append(...events: readonly NodeGroupEvent[]): void {
    for (const event of events) {
      this.state = nodeGroupStream.evolve(this.state, event, AT);
      this.log.push(event);
      for (const { id } of event.type === 'NodesAdded' ? event.data.nodes : [])
        this.metadataGeneration.set(id, this.state.metadataGeneration);
    }
  }

  freshId(): string {
    return `n${++this.ids}`;
  }

  next(): readonly NodeGroupEvent[] {
    return reconcileNodeGroup(this.state, {
      nodes: id => this.view(id),
      freshIds: n => Array.from({ length: n }, () => this.freshId()),
      ...(this.blocked === undefined ? {} : { blocked: this.blocked }),
    });
  }

  /** As the group sees it; what is asked to take its turn is out of service. */
  view(id: string): MemberView | undefined {
    const view = this.nodes.get(id);
    const member = this.state.members.get(id);
    if (!view || !member) return view;
    const onTurn = member.rolloutId !== undefined && view.completedRolloutId !== member.rolloutId && view.ready;
    const isOutdated =
      view.ready &&
      (this.metadataGeneration.get(id) ?? this.state.metadataGeneration) !== this.state.metadataGeneration;
    return { ...view, ...(onTurn ? { busy: true } : {}), ...(isOutdated ? { hasOutdatedMetadata: true } : {}) };
  }

  /** Until nothing follows any more. */
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

  /** Its removal failed permanently. */
  stick(id: string, reason = 'stuck'): void {
    const operationId = this.state.members.get(id)?.operationId ?? '';
    this.set(id, { removalFailure: { operationId, reason } });
  }

  /** Until nothing can happen any more: whatever is under way results in the end that the test says, well or not. */
  exhaust(ends: () => boolean): void {
    for (let round = 0; round < 200; round++) {
      this.settle();
      const open = [...this.state.members.values()].filter(m => this.isUnderWay(m));
      if (open.length === 0 && this.next().length === 0) return;
      for (const { id } of open) this.end(id, ends());
    }
    throw new Error('does not result in an end');
  }

  /** Whatever is under way at it results in its end. */
  end(id: string, well: boolean): void {
    const leaving = this.state.members.get(id)?.leaving;
    const { hasOutdatedMetadata, busy } = this.view(id) ?? {};
    if (well) this.set(id, leaving ? { deleted: true } : { ready: true });
    else if (leaving && this.state.forced) this.set(id, { deleted: true, abandoned: 'stuck' });
    else if (leaving) this.stick(id);
    else if (hasOutdatedMetadata && !busy) this.refuseUpdate(id);
    else this.fail(id);
  }

  /** Its driver cannot change its labels. */
  private refuseUpdate(id: string): void {
    const view = this.nodes.get(id);
    if (!view) return;
    this.nodes.set(id, {
      ...view,
      metadataUpdateFailure: { operationId: this.state.lastOperationId, reason: 'no such label' },
    });
  }

  /** What failed permanently for an earlier operation is under way again for the latest. */
  isUnderWay({ id, leaving, operationId }: Member): boolean {
    const view = this.view(id);
    if (leaving)
      return !view?.deleted && (this.state.forced === true || view?.removalFailure?.operationId !== operationId);
    if (this.blocked !== undefined) return false;
    const lags = view?.hasOutdatedMetadata && view.metadataUpdateFailure?.operationId !== this.state.lastOperationId;
    return view?.ready ? view.busy === true || lags === true : !view?.failed;
  }

  /** Leaving nodes go, the others become ready. */
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
