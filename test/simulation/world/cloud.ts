import { Violation, type Simulator } from '../kernel/simulator.js';
import type { Mutation } from './mutation.js';

export interface CloudUnit {
  /** The cloud's own, never used again. */
  readonly infrastructureId: string;
  readonly kind: 'node' | 'cluster';
  readonly resourceId: string;
  readonly generation: number;
}

/** Knows names (`<kind>-<id>-g<generation>`) and its own ids; knows nothing of claims. */
export class Cloud {
  readonly units = new Map<string, CloudUnit>();
  private count = 0;

  constructor(
    private readonly sim: Simulator,
    private readonly isOrphan: (unit: CloudUnit) => boolean,
    private readonly mutation?: Mutation,
  ) {}

  find(resourceId: string): readonly CloudUnit[] {
    return [...this.units.values()].filter(unit => unit.resourceId === resourceId);
  }

  list(): readonly CloudUnit[] {
    return [...this.units.values()];
  }

  /** Makes it, or answers with what has this name already. */
  create(kind: CloudUnit['kind'], resourceId: string, generation: number): CloudUnit {
    const same = this.find(resourceId).find(unit => unit.generation === generation);
    if (same && this.mutation === 'adoption')
      throw new Violation('built-twice', `${kind}-${resourceId}-g${generation} is there already`);
    if (same) return same;
    const infrastructureId = `i${++this.count}`;
    const unit = { infrastructureId, kind, resourceId, generation };
    this.units.set(infrastructureId, unit);
    this.sim.trace(() => `cloud: creates ${kind}-${resourceId}-g${generation} (${infrastructureId})`);
    return unit;
  }

  /** On behalf of a task that may destroy units up to this generation. */
  destroy(target: CloudUnit, upTo: number): void {
    const byName = this.mutation === 'generation-check';
    const hit = byName ? this.find(target.resourceId) : [this.units.get(target.infrastructureId)];
    for (const unit of hit) {
      if (!unit) continue;
      this.sim.trace(() => `cloud: destroys ${unit.resourceId}-g${unit.generation} up to g${upTo}`);
      if (unit.generation > upTo)
        throw new Violation('successor-destroyed', `${unit.resourceId}-g${unit.generation} by a task up to g${upTo}`);
      this.units.delete(unit.infrastructureId);
    }
  }

  /** The orphan sweep's removal. */
  remove(target: CloudUnit): void {
    const unit = this.units.get(target.infrastructureId);
    if (!unit) return;
    this.sim.trace(() => `cloud: sweeps ${unit.resourceId}-g${unit.generation}`);
    if (!this.isOrphan(unit)) throw new Violation('live-unit-swept', `${unit.resourceId}-g${unit.generation}`);
    this.units.delete(unit.infrastructureId);
  }
}
