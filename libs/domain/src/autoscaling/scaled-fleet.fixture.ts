import type { NodeView, PlacementRequest } from '../placement/index.js';
import { request } from '../placement/placement.fixture.js';
import { largestRecommended } from './autoscale-set.js';
import { growNodeGroups } from './grow-node-groups.js';
import { LoadSimulation, MINUTE, SECOND, settings } from './load-simulation.fixture.js';
import type { NodeGroupAutoscaling, ScaledGroup } from './node-group-autoscaling.js';
import { group, place } from './node-groups.fixture.js';
import type { SetAutoscaling } from './set-autoscaling.js';
import { shrinkNodeGroups, type HeldRequest } from './shrink-node-groups.js';

const TICK_MS = 15 * SECOND;
const BUILD_MS = MINUTE;

interface Options {
  readonly demand: (ms: number) => number;
  readonly settings?: SetAutoscaling;
  readonly auto?: Partial<NodeGroupAutoscaling>;
  /** How many members there are at first, each with a CPU, and how many nodes of four CPUs. */
  readonly desired?: number;
  readonly nodes?: number;
}

interface Member extends PlacementRequest {
  nodeId?: string | undefined;
}

/** A set that follows its load on a node group that follows the set, with a simulated clock. */
export class ScaledFleet {
  readonly grew: number[] = [];
  readonly removed: number[] = [];
  private readonly set: LoadSimulation;
  private nodes: NodeView[];
  private upcoming: { readonly view: NodeView; readonly readyAt: number }[] = [];
  private members: Member[] = [];
  private since: ReadonlyMap<string, number> = new Map();
  private named = 0;

  constructor(private readonly options: Options) {
    const { demand, settings: how = settings(), desired = 4, nodes = 1 } = options;
    this.set = new LoadSimulation({ demand, settings: how, desired });
    this.nodes = this.fresh(nodes);
  }

  run(ms: number): void {
    for (const end = this.set.now + ms; this.set.now < end;) {
      this.set.run(TICK_MS);
      this.build();
      this.follow();
      this.grow();
      this.shrink();
    }
  }

  get size(): number {
    return this.nodes.length;
  }

  private build(): void {
    const { now } = this.set;
    this.nodes.push(...this.upcoming.filter(({ readyAt }) => readyAt <= now).map(({ view }) => view));
    this.upcoming = this.upcoming.filter(({ readyAt }) => readyAt > now);
  }

  /** As many members as the set wants, the last ones go first; those without a node get one where there is room. */
  private follow(): void {
    const { desired } = this.set;
    while (this.members.length < desired)
      this.members.push(request({ id: `m${this.members.length}`, cpus: 1, memoryMb: 100 }));
    this.members.length = desired;
    const placed = new Map(place(this.views(this.nodes), this.waiting).map(d => [d.requestId, d.nodeId]));
    for (const member of this.members) member.nodeId ??= placed.get(member.id);
  }

  private grow(): void {
    const { now } = this.set;
    const nodes = this.views([...this.nodes, ...this.upcoming.map(({ view }) => view)]);
    const { proposals } = growNodeGroups({ now, nodes, waiting: this.waiting, groups: [this.group()], place });
    for (const proposal of proposals) {
      this.grew.push(now);
      this.upcoming.push(...this.fresh(proposal.nodes).map(view => ({ view, readyAt: now + BUILD_MS })));
    }
  }

  private shrink(): void {
    const { now, desired, last } = this.set;
    const { settings: how = settings() } = this.options;
    const most = last ? Math.max(desired, largestRecommended(last.memory, how, now)) : desired;
    const again = Array.from({ length: most - desired }, (_, i) =>
      request({ id: `again${i}`, cpus: 1, memoryMb: 100 }),
    );
    const { remove, since } = shrinkNodeGroups({
      now,
      nodes: this.views(this.nodes),
      containers: this.members.flatMap(({ nodeId, ...member }): readonly HeldRequest[] =>
        nodeId === undefined ? [] : [{ ...member, nodeId, movable: true }],
      ),
      waiting: this.waiting,
      upcoming: this.upcoming.length > 0,
      reserve: again,
      groups: [this.group()],
      grewAt: new Map(this.grew.length > 0 ? [['g', this.grew.at(-1) ?? 0]] : []),
      since: this.since,
      place,
    });
    this.since = since;
    const gone = new Set(remove.map(({ nodeId }) => nodeId));
    if (gone.size > 0) this.removed.push(now);
    this.nodes = this.nodes.filter(({ id }) => !gone.has(id));
    for (const member of this.members) if (gone.has(member.nodeId ?? '')) member.nodeId = undefined;
  }

  private get waiting(): readonly PlacementRequest[] {
    return this.members.flatMap(({ nodeId, ...member }) => (nodeId === undefined ? [member] : []));
  }

  private views(nodes: readonly NodeView[]): readonly NodeView[] {
    return nodes.map(view => {
      const containers = this.members.filter(({ nodeId }) => nodeId === view.id).length;
      return { ...view, containers, allocated: { cpus: containers, memoryMb: 100 * containers } };
    });
  }

  private group(): ScaledGroup {
    return group({ count: this.nodes.length + this.upcoming.length, maxCount: 50, auto: this.options.auto });
  }

  private fresh(count: number): NodeView[] {
    return Array.from({ length: count }, () => {
      const id = `n${(this.named += 1)}`;
      return { ...group().nextNode(0), id, name: id };
    });
  }
}
