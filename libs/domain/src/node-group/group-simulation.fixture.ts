import { AT } from '../kernel/given.fixture.js';
import type { NodeGroupEvent } from './node-group-events.js';
import type { NodeGroupSpec } from './node-group-spec.js';
import { evolveNodeGroup, initialNodeGroup, type Member, type NodeGroupState } from './node-group-state.js';
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

/** A group with nodes that become what the test says. */
export class Simulation {
  state: NodeGroupState;
  readonly nodes = new Map<string, MemberView>();
  readonly log: NodeGroupEvent[] = [];
  /** Its cluster has failed. */
  blocked: string | undefined;
  private ids = 0;

  /** With a name it is one of the groups that its cluster was asked for with. */
  constructor(count: number, zones: readonly string[] = [], name?: string) {
    const operation = { id: 'op0', kind: 'node-group.create', total: count };
    const decided = { ...spec(count, zones), updateStrategy: defaultUpdateStrategy };
    const data = { id: name ?? 'g', clusterId: 'c', projectId: 'p', name: name ?? 'web', spec: decided };
    const cause = name === undefined ? { operationId: 'op0', operation } : { operationId: 'create' };
    this.state = initialNodeGroup;
    this.append({ type: 'NodeGroupCreated', data: { ...data, ...cause } });
  }

  append(...events: readonly NodeGroupEvent[]): void {
    for (const event of events) {
      this.state = evolveNodeGroup(this.state, event, AT);
      this.log.push(event);
    }
  }

  freshId(): string {
    return `n${++this.ids}`;
  }

  next(): readonly NodeGroupEvent[] {
    return reconcileNodeGroup(this.state, {
      nodes: id => this.nodes.get(id),
      freshIds: n => Array.from({ length: n }, () => this.freshId()),
      ...(this.blocked === undefined ? {} : { blocked: this.blocked }),
    });
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
    this.nodes.set(id, { ready: false, deleted: false, ...view });
  }

  fail(id: string, reason = 'broken'): void {
    this.set(id, { failed: { class: 'permanent', reason } });
  }

  /** Its removal is given up. */
  stick(id: string, reason = 'stuck'): void {
    const operationId = this.state.members.get(id)?.operationId ?? '';
    this.set(id, { stuck: { operationId, reason } });
  }

  /** Until nothing can happen any more: whatever is under way comes to the end that the test says, well or not. */
  exhaust(ends: () => boolean): void {
    for (let round = 0; round < 200; round++) {
      this.settle();
      const open = [...this.state.members.values()].filter(m => this.isUnderWay(m));
      if (open.length === 0 && this.next().length === 0) return;
      for (const { id, leaving } of open) {
        const well = ends();
        if (well) this.set(id, leaving ? { deleted: true } : { ready: true });
        else if (leaving) this.stick(id);
        else this.fail(id);
      }
    }
    throw new Error('does not come to an end');
  }

  /** What was given up for an earlier operation is under way again for the latest. */
  private isUnderWay({ id, leaving, operationId }: Member): boolean {
    const view = this.nodes.get(id);
    if (leaving) return !view?.deleted && view?.stuck?.operationId !== operationId;
    return this.blocked === undefined && !view?.ready && !view?.failed;
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
    throw new Error('does not come to rest');
  }

  memberIds(): string[] {
    return [...this.state.members.keys()];
  }

  of(type: NodeGroupEvent['type']): readonly NodeGroupEvent[] {
    return this.log.filter(e => e.type === type);
  }
}
