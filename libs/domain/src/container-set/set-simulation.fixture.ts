import { instantMs, instantOf } from '../kernel/instant.js';
import { omitUndefined } from '../kernel/json.js';
import type { Decision } from '../kernel/decider.js';
import { createContainerSet } from './container-set-decider.js';
import type { ContainerSetEvent } from './container-set-events.js';
import {
  defaultSetBackoff,
  defaultSetStrategy,
  type ContainerSetSpec,
  type SetBackoff,
  type SetSource,
  type SetUpdateStrategy,
} from './container-set-spec.js';
import type { ContainerSetState, SetMember } from './container-set-state.js';
import { containerSetStream } from './evolve-container-set.js';
import { reconcileContainerSet } from './reconcile-container-set.js';
import type { SetInput } from './set-facts.js';
import type { SetMemberView } from './set-member-view.js';
import { simulatedView, type Unit } from './simulated-member.fixture.js';
import { rollContainerSet } from './set-actions.js';

export const source = (image = 'web:1', more: Partial<SetSource> = {}): SetSource => ({
  profileId: 'pr',
  profileRevision: 1,
  profile: {
    image,
    env: {},
    resources: { cpus: 1, memoryMb: 64 },
    volumes: [],
    ports: [],
    restartPolicy: 'always',
    labels: {},
  },
  overrides: {},
  ...more,
});

interface Options extends Partial<Omit<ContainerSetSpec, 'updateStrategy' | 'backoff'>> {
  readonly strategy?: Partial<SetUpdateStrategy>;
  readonly backoff?: Partial<SetBackoff>;
  readonly source?: SetSource;
  readonly policies?: SetInput['policies'];
}

export const START = instantMs('2026-01-01T00:00:00.000Z');

/** A set with a simulated clock. The test decides which images fail, how long a start takes, and what happens to members. */
export class SetSimulation {
  state: ContainerSetState;
  now = START;
  readonly units = new Map<string, Unit>();
  readonly log: { readonly at: number; readonly event: ContainerSetEvent; readonly before: ContainerSetState }[] = [];
  readonly bad = new Set<string>();
  startMs: (id: string) => number = () => 1_000;
  removeMs = 500;
  paused = false;
  /** The zone of each member; those that are absent have none. */
  zones: ReadonlyMap<string, string> = new Map();
  /** Where the members are against shares; default: no policy lists places. */
  sharesOf: SetInput['sharesOf'];
  /** Called after each event. */
  check: (event: ContainerSetEvent, before: ContainerSetState) => void = () => undefined;
  private ids = 0;
  private operations = 0;

  constructor(readonly options: Options = {}) {
    const { desired = 3, min = 0, max, autoscaling, strategy, backoff, source: from = source() } = options;
    const spec: ContainerSetSpec = {
      desired,
      min,
      ...omitUndefined({ max, autoscaling }),
      updateStrategy: { ...defaultSetStrategy, ...strategy },
      backoff: { ...defaultSetBackoff, ...backoff },
    };
    const operation = { id: 'create', kind: 'container-set.create', total: desired };
    const declared = { id: 'set', name: 'web', projectId: 'p', clusterId: 'c', spec, source: from, operation };
    const decision = createContainerSet(declared);
    const [created] = decision.ok ? decision.events : [];
    if (!created) throw new Error('the set is refused');
    const state = containerSetStream.evolve(undefined, created, instantOf(this.now));
    if (!state) throw new Error('the set does not exist');
    this.state = state;
  }

  get members(): readonly SetMember[] {
    return [...this.state.members.values()];
  }

  get staying(): readonly SetMember[] {
    return this.members.filter(m => !m.leaving);
  }

  get images(): readonly string[] {
    return this.staying.map(m => this.imageOf(m)).sort();
  }

  imageOf({ revision }: SetMember): string {
    const found = this.state.revisions.find(r => r.revision === revision);
    return found?.overrides.image ?? found?.profile.image ?? '';
  }

  isAvailable(id: string): boolean {
    const unit = this.units.get(id);
    const ready = (unit?.since ?? Infinity) + this.state.spec.updateStrategy.minReadySeconds * 1000;
    return unit?.state === 'active' && unit.health !== 'unhealthy' && ready <= this.now;
  }

  get available(): number {
    return this.staying.filter(m => this.isAvailable(m.id)).length;
  }

  operation(kind: string, total = 1) {
    return { id: `op${++this.operations}`, kind: `container-set.${kind}`, total };
  }

  /** Takes a decision, which must be accepted. Returns the types of its events. */
  take(decide: (state: ContainerSetState) => Decision<ContainerSetEvent>): string[] {
    const decision = decide(this.state);
    if (!decision.ok) throw new Error(`refused: ${decision.refusal.code}`);
    this.append(decision.events);
    return decision.events.map(e => e.type);
  }

  roll(image: string): string[] {
    const { id: operationId } = this.operation('roll');
    return this.take(state => rollContainerSet(state, { source: source(image), operationId }));
  }

  append(events: readonly ContainerSetEvent[]): void {
    for (const event of events) {
      const before = this.state;
      this.state = containerSetStream.evolve(before, event, instantOf(this.now));
      this.log.push({ at: this.now, event, before });
      this.follow();
      this.repair(event);
      this.check(event, before);
    }
  }

  /** Starts and removes the containers that the members ask for. */
  private follow(): void {
    for (const m of this.members) {
      const unit = this.units.get(m.id);
      if (!unit)
        this.units.set(m.id, {
          state: 'starting',
          since: this.now,
          due: this.now + this.startMs(m.id),
          leaving: false,
          generation: 1,
        });
      else if (m.leaving && !unit.leaving) Object.assign(unit, { leaving: true, due: this.now + this.removeMs });
    }
  }

  view(id: string): SetMemberView | undefined {
    const unit = this.units.get(id);
    return unit && simulatedView(id, unit);
  }

  /** Starts what the health policy repairs. */
  private repair(event: ContainerSetEvent): void {
    if (event.type !== 'MembersRepaired') return;
    for (const { memberId, do: action } of event.data.repairs) {
      const unit = this.units.get(memberId);
      if (!unit || action === 'replace') continue;
      const { health: _before, ...rest } = unit;
      const due = this.now + this.startMs(memberId);
      this.units.set(memberId, { ...rest, state: 'starting', due, generation: unit.generation + 1 });
    }
  }

  /** Looks until nothing is to be done now. Returns the milliseconds to the next look that time alone asks for. */
  settle(): number {
    for (let round = 0; round < 200; round++) {
      const look = reconcileContainerSet(this.state, {
        members: id => this.view(id),
        freshIds: n => Array.from({ length: n }, () => `m${++this.ids}`),
        now: instantOf(this.now),
        paused: this.paused,
        zoneOf: id => this.zones.get(id),
        ...omitUndefined({ sharesOf: this.sharesOf }),
        ...(this.options.policies ? { policies: this.options.policies } : {}),
      });
      if (look.events.length === 0) return look.againMs ?? Infinity;
      this.append(look.events);
    }
    throw new Error('not settled');
  }

  fail(id: string): void {
    const unit = this.units.get(id);
    if (unit && !unit.leaving) unit.state = 'failed';
  }

  /** Runs until this time has passed, or nothing happens any more; every event of a container causes a look. */
  run(ms: number): void {
    const end = this.now + ms;
    for (;;) {
      const again = this.now + this.settle();
      const due = [...this.units.values()].filter(u => (u.leaving || u.state === 'starting') && u.state !== 'gone');
      const next = Math.min(again, ...due.map(u => u.due));
      if (next > end) break;
      this.now = Math.max(this.now, next);
      for (const [id, unit] of this.units) this.advance(id, unit);
    }
    if (end !== Infinity) this.now = end;
  }

  private advance(id: string, unit: Unit): void {
    if (unit.state === 'gone' || unit.due > this.now) return;
    if (unit.leaving) return void (unit.state = 'gone');
    if (unit.state !== 'starting') return;
    const member = this.state.members.get(id);
    const isBad = member !== undefined && this.bad.has(this.imageOf(member));
    Object.assign(unit, { state: isBad ? 'failed' : 'active', since: this.now });
  }

  of<T extends ContainerSetEvent['type']>(type: T): readonly Extract<ContainerSetEvent, { type: T }>[] {
    return this.log.map(l => l.event).filter((e): e is Extract<ContainerSetEvent, { type: T }> => e.type === type);
  }
}
