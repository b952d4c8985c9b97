import fc from 'fast-check';
import type { Decision } from '../kernel/decider.js';
import { rebootNodeGroup, rebuildNodeGroup, retryNodeGroup } from './group-actions.js';
import { countedMembers, isOutdated } from './group-membership.js';
import { Simulation } from './group-simulation.fixture.js';
import type { NodeGroupChanges } from './node-group-changes.js';
import { cancelNodeGroupOperation, removeMember, replaceMember, resizeNodeGroup } from './node-group-decider.js';
import type { NodeGroupEvent } from './node-group-events.js';
import { updateBounds } from './node-group-spec.js';
import { ROLLING_REPLACEMENT } from './node-group-state.js';
import { updateNodeGroup } from './update-node-group.js';

const strategy = fc
  .record({ maxSurge: fc.nat(2), maxUnavailable: fc.nat(2) })
  .filter(({ maxSurge, maxUnavailable }) => maxSurge + maxUnavailable > 0);
const zoneLists = fc.subarray(['a', 'b', 'c']).map(names => names.map(name => ({ name })));
const changes: fc.Arbitrary<NodeGroupChanges> = fc.record(
  {
    flavor: fc.record({ cpus: fc.integer({ min: 1, max: 3 }), memoryMb: fc.constant(1) }),
    zones: zoneLists,
    labels: fc.record({ a: fc.constantFrom('1', '2') }),
    count: fc.nat(7),
    updateStrategy: strategy,
  },
  { requiredKeys: [] },
);
/** What may happen to a group, one after the other. */
const step = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant('patch' as const), changes }) },
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'ends',
        'ends',
        'ends',
        'fails',
        'full',
        'lost',
        'go',
        'go',
        'cancel',
        'retry',
        'rebuild',
        'reboot',
      ),
      n: fc.nat(30),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('remove', 'replace', 'resize'), n: fc.nat(6) }) },
);
type Step = { readonly do: string; readonly n?: number; readonly changes?: NodeGroupChanges };

/** A group that is checked after everything that is decided. */
class Watched extends Simulation {
  override append(...events: readonly NodeGroupEvent[]): void {
    const before = this.available();
    const steady = countedMembers(this.state).every(m => before.has(m.id));
    super.append(...events);
    for (const event of events) this.check(event, before, steady);
  }

  take(decision: Decision<NodeGroupEvent>): void {
    if (decision.ok) this.append(...decision.events);
  }

  private bounds(): { surge: number; unavailable: number; count: number } {
    const { count = 0, updateStrategy } = this.state.spec ?? {};
    return { ...updateBounds(updateStrategy, count), count };
  }

  private available(): ReadonlySet<string> {
    const serves = (id: string): boolean => this.view(id)?.ready === true && !this.view(id)?.busy;
    return new Set([...this.state.members.values()].filter(m => !m.leaving && serves(m.id)).map(m => m.id));
  }

  /** The rolling replacement takes nodes out of service. */
  private isRolled(reason: string, ids: readonly string[], before: ReadonlySet<string>): boolean {
    const outdated = (id: string): boolean => {
      const member = this.state.members.get(id);
      return member !== undefined && isOutdated(this.state, member);
    };
    return [ROLLING_REPLACEMENT, 'replaced'].includes(reason) && ids.some(id => before.has(id) && outdated(id));
  }

  private check(event: NodeGroupEvent, before: ReadonlySet<string>, steady: boolean): void {
    const { count, surge, unavailable } = this.bounds();
    const members = [...this.state.members.values()];
    const staying = members.filter(m => !m.leaving);
    const followed = staying.flatMap(m => m.replaces ?? []);
    expect(new Set(followed).size).toBe(followed.length);
    const stuck = (id: string): boolean => this.nodes.get(id)?.removalFailure !== undefined;
    const leaving = members.filter(m => m.leaving && m.reason !== 'failed' && !stuck(m.id));
    const rolls = event.type === 'NodesAdded' && event.data.reason === ROLLING_REPLACEMENT;
    const makesUp = event.type === 'NodesAdded' && event.data.nodes.every(n => n.replaces === undefined);
    if (rolls || (makesUp && leaving.some(m => m.reason === ROLLING_REPLACEMENT)))
      expect(staying.length + leaving.length).toBeLessThanOrEqual(count + surge);
    if (rolls && !makesUp) expect(steady).toBe(true);
    if (event.type === 'NodeRemovalAccepted' && this.isRolled(event.data.reason, event.data.nodeIds, before))
      expect(this.available().size).toBeGreaterThanOrEqual(count - unavailable);
    if (event.type === 'RolloutBatchAccepted') {
      const out = staying.filter(m => this.view(m.id)?.busy);
      expect(out.length).toBeLessThanOrEqual(Math.max(1, unavailable));
    }
  }
}

function play(group: Watched, sequence: readonly Step[]): void {
  sequence.forEach((s, i) => {
    const operation = { id: `op-${i}`, kind: `node-group.${s.do}` };
    const n = s.n ?? 0;
    const ids = group.memberIds();
    const id = ids[n % Math.max(1, ids.length)] ?? '';
    const member = group.state.members.get(id);
    const open = group.state.operations[n % Math.max(1, group.state.operations.length)];
    switch (s.do) {
      case 'patch':
        return group.take(updateNodeGroup(group.state, s.changes ?? {}, { operationId: operation.id }));
      case 'ends':
      case 'fails':
        return member && group.isUnderWay(member) ? group.end(id, s.do === 'ends') : undefined;
      case 'full':
      case 'lost':
        if (!member || member.leaving || group.nodes.get(id)?.ready !== (s.do === 'lost')) return;
        return group.set(id, { failed: { class: s.do === 'full' ? 'capacity' : 'unreachable', reason: s.do } });
      case 'go':
        return group.settle();
      case 'cancel':
        return group.take(cancelNodeGroupOperation(group.state, open?.id ?? ''));
      case 'retry':
        return group.take(retryNodeGroup(group.state, { operation }));
      case 'rebuild':
        return group.take(rebuildNodeGroup(group.state, { operation }));
      case 'reboot':
        return group.take(rebootNodeGroup(group.state, { operation, type: 'hard' }));
      case 'remove':
        return group.take(
          removeMember(group.state, { nodeId: id, operation: { ...operation, total: 1 }, lowerMin: true }),
        );
      case 'replace':
        return group.take(
          replaceMember(group.state, {
            nodeId: id,
            successorId: group.freshId(),
            operation: { ...operation, total: 2 },
          }),
        );
      default:
        return group.take(resizeNodeGroup(group.state, { count: n, operation: { ...operation, total: 1 } }));
    }
  });
}

function made(count: number, zones: readonly string[]): Watched {
  const group = new Watched(count, zones);
  group.exhaust(() => true);
  return group;
}

const sequences = fc.array(step, { maxLength: 40 }) as fc.Arbitrary<Step[]>;
const scene = fc.tuple(fc.nat(6), fc.subarray(['a', 'b', 'c']), sequences);

it('a rolling replacement keeps its bounds at every step, and completes with the newest build when nothing fails', () => {
  fc.assert(
    fc.property(scene, ([count, zones, sequence]) => {
      const group = made(count, zones);
      play(group, sequence);
      group.exhaust(() => true);
      group.take(retryNodeGroup(group.state, { operation: { id: 'again', kind: 'node-group.retry' } }));
      group.exhaust(() => true);
      if (group.state.deleting) return;
      expect(group.summary).toMatchObject({ status: 'ACTIVE', operations: [], failed: false });
      const members = [...group.state.members.values()];
      expect(members.filter(m => isOutdated(group.state, m))).toEqual([]);
      expect(members).toHaveLength(group.state.spec.count);
      expect(group.next()).toEqual([]);
    }),
    { numRuns: 1_000 },
  );
});

it('no operation stays open whatever fails: the group is ACTIVE, or failed permanently with a reason', () => {
  fc.assert(
    fc.property(scene, fc.array(fc.boolean(), { maxLength: 60 }), ([count, zones, sequence], luck) => {
      const group = made(count, zones);
      play(group, sequence);
      let i = 0;
      group.exhaust(() => luck[i++] ?? true);
      expect(group.state.operations).toEqual([]);
      const { status, failed, statusReason } = group.summary;
      if (status !== 'ACTIVE')
        expect({ status, failed, why: statusReason }).toEqual({
          status: 'DEGRADED',
          failed: true,
          why: expect.any(String),
        });
      const started = group.log.flatMap(e => ('operation' in e.data && e.data.operation ? [e.data.operation.id] : []));
      const ended = group.of('OperationEnded').flatMap(e => ('operationId' in e.data ? [e.data.operationId] : []));
      expect([...ended].sort()).toEqual([...started].sort());
    }),
    { numRuns: 1_000 },
  );
});

it('a change of zones leaves the nodes evenly spread with as few moves as possible', () => {
  const lists = fc.subarray(['a', 'b', 'c', 'd'], { minLength: 1 });
  fc.assert(
    fc.property(fc.nat(9), lists, lists, strategy, (count, from, to, updateStrategy) => {
      const group = made(count, from);
      const before = new Map([...group.state.members.values()].map(m => [m.id, m.zone]));
      const zones = to.map(name => ({ name }));
      group.take(updateNodeGroup(group.state, { zones, updateStrategy }, { operationId: 'z' }));
      group.exhaust(() => true);
      const after = countedMembers(group.state);
      const sizes = to.map(zone => after.filter(m => m.zone === zone).length);
      expect(sizes.reduce((a, b) => a + b, 0)).toBe(count);
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      const had = to.map(zone => [...before.values()].filter(z => z === zone).length).sort((a, b) => b - a);
      const target = to.map((_, i) => Math.floor(count / to.length) + (i < count % to.length ? 1 : 0));
      const kept = had.reduce((sum, n, i) => sum + Math.min(n, target[i] ?? 0), 0);
      expect(after.filter(m => before.has(m.id))).toHaveLength(kept);
    }),
    { numRuns: 300 },
  );
});
