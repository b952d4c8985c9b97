import type { Options } from '@stave/driver-sdk';
import type { FakeUnit } from './fake-unit.js';
import { chance } from './fault-plan.js';

export interface Usage {
  readonly cpuCores: number;
  readonly memoryMb: number;
}

type Members = Readonly<Record<string, unknown>>;

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const membersOf = (value: unknown): Members => (isMembers(value) ? value : {});

/** The share of a shape between its minimum and its maximum at a phase in [0, 1). */
const shapes: ReadonlyMap<string, (phase: number, steps: number) => number> = new Map([
  ['sawtooth', phase => phase],
  ['sine', phase => (1 - Math.cos(2 * Math.PI * phase)) / 2],
  ['steps', (phase, steps) => (steps < 2 ? 1 : Math.floor(phase * steps) / (steps - 1))],
]);

/** The value of a load `ms` after it was set: a number, or a shape. */
export function loadAt(load: unknown, ms: number): number | undefined {
  if (typeof load === 'number') return load;
  if (!isMembers(load)) return undefined;
  const [min, max, periodMs] = [Number(load['min']), Number(load['max']), Number(load['periodMs'])];
  const phase = (ms % periodMs) / periodMs;
  const share = shapes.get(String(load['shape']))?.(phase, Number(load['steps'] ?? 2));
  return share === undefined ? undefined : min + (max - min) * share;
}

/** A load that running containers share, or that each of them has. */
interface Shared {
  readonly load: Members;
  readonly since: number;
  sharers: number;
}

/** The utilisation of containers, from the option `load` of their clusters and node groups: those without a load have a constant one. */
export class SimulatedLoad {
  private readonly clusters = new Map<string, FakeUnit>();
  /** By the id of the infrastructure; made when it is first needed, since a fleet may have many nodes and no containers. */
  private nodes: ReadonlyMap<string, FakeUnit> | undefined;
  private readonly shared = new Map<string, Shared>();

  /** `units`: all units of the clusters in question. `now`: milliseconds since 1970. */
  constructor(
    private readonly units: readonly FakeUnit[],
    private readonly now: number,
  ) {
    const containers: FakeUnit[] = [];
    for (const unit of units) {
      if (unit.kind === 'cluster') this.clusters.set(unit.clusterId, unit);
      else if (unit.kind === 'container' && unit.state === 'running') containers.push(unit);
    }
    for (const unit of containers) {
      const load = this.loadOf(unit);
      if (load) load.sharers += 1;
    }
  }

  /** Returns the options of a node, or of the node of a container: those of its cluster, and those of its group, which win. */
  optionsOf(unit: FakeUnit): Options {
    const node = unit.kind === 'node' ? unit : this.nodeOf(unit);
    const cluster = membersOf(this.clusters.get(unit.clusterId)?.attributes['options']);
    return { ...cluster, ...membersOf(node?.attributes['groupOptions']) };
  }

  /** As the option `noMonitor` of `optionsOf` says, which makes too many objects to be asked for each of many units. */
  isMonitored(unit: FakeUnit): boolean {
    const node = unit.kind === 'node' ? unit : this.nodeOf(unit);
    const own = membersOf(node?.attributes['groupOptions']);
    const options = 'noMonitor' in own ? own : membersOf(this.clusters.get(unit.clusterId)?.attributes['options']);
    return options['noMonitor'] !== true;
  }

  /** Returns what a running container uses. CPU is limited; memory is what it would use, also above its limit. */
  usageOf(unit: FakeUnit): Usage {
    const { infrastructureId, attributes } = unit;
    const shared = this.loadOf(unit);
    const part = (member: string): number | undefined => {
      const value = shared && loadAt(shared.load[member], this.now - shared.since);
      return value === undefined || shared?.load['each'] === true ? value : value / (shared?.sharers || 1);
    };
    const cpus = Number(membersOf(attributes['resources'])['cpus'] ?? Infinity);
    const constant = containerUsage(infrastructureId);
    return {
      cpuCores: Math.min(cpus, part('cpuCores') ?? constant.cpuCores),
      memoryMb: part('memoryMb') ?? constant.memoryMb,
    };
  }

  /** Returns whether the container needs more memory than its limit. */
  exceedsMemory(unit: FakeUnit): boolean {
    const limit = membersOf(unit.attributes['resources'])['memoryMb'];
    return typeof limit === 'number' && this.loadOf(unit) !== undefined && this.usageOf(unit).memoryMb > limit;
  }

  private nodeOf({ hostUnit }: FakeUnit): FakeUnit | undefined {
    if (hostUnit === undefined) return undefined;
    this.nodes ??= new Map(this.units.flatMap(unit => (unit.kind === 'node' ? [[unit.infrastructureId, unit]] : [])));
    return this.nodes.get(hostUnit);
  }

  private loadOf(unit: FakeUnit): Shared | undefined {
    const key = membersOf(unit.attributes['labels'])['load'];
    if (typeof key !== 'string') return undefined;
    const node = this.nodeOf(unit);
    const own = membersOf(membersOf(node?.attributes['groupOptions'])['load'])[key];
    const of = own === undefined ? this.clusters.get(unit.clusterId) : node;
    const load = own ?? membersOf(membersOf(of?.attributes['options'])['load'])[key];
    if (!of || !isMembers(load)) return undefined;
    const scope = own === undefined ? of.clusterId : String(of.attributes['group']);
    const id = `${scope}\n${key}`;
    const known = this.shared.get(id) ?? { load, since: Number(of.attributes['loadSince'] ?? 0), sharers: 0 };
    this.shared.set(id, known);
    return known;
  }
}

/** Returns the constant utilisation of a container without a load. */
export const containerUsage = (infrastructureId: string): Usage => ({
  cpuCores: chance('cpu', infrastructureId),
  memoryMb: 8 + Math.floor(chance('memory', infrastructureId) * 56),
});

/** Returns the attributes with the time from which their loads count: that of the last change of the option `load`. */
export function withLoadSince(attributes: Members, before: Members | undefined, now: number): Members {
  const loadIn = ({ options, groupOptions }: Members): unknown => membersOf(groupOptions ?? options)['load'];
  const load = loadIn(attributes);
  if (load === undefined) return attributes;
  const isSame = before !== undefined && JSON.stringify(loadIn(before)) === JSON.stringify(load);
  return { ...attributes, loadSince: isSame ? before['loadSince'] : now };
}
