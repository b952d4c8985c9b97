import type { AffinityRule, ContainerKind, PlacementRequest } from './model.js';
import { kindOf } from './node-contents.js';
import type { NodeTable } from './node-table.js';
import { sumByDomain, topologyOf, type Constraint, type Topology } from './topology.js';

/** Whether the rule, which belongs to `owner`, is about containers of this kind. */
function concerns(rule: AffinityRule, owner: ContainerKind, kind: ContainerKind): boolean {
  if (rule.with === undefined) return owner.setId !== undefined && kind.setId === owner.setId;
  if ('set' in rule.with) return kind.setId === rule.with.set;
  return Object.entries(rule.with.labels).every(
    ([name, value]) => Object.hasOwn(kind.labels, name) && kind.labels[name] === value,
  );
}

/** Returns the containers that the rule is about, by domain. */
function concerned(rule: AffinityRule, owner: ContainerKind, table: NodeTable, topology: Topology): Float64Array {
  const sums = new Float64Array(topology.size);
  for (const { kind, count } of table.contents.all())
    if (concerns(rule, owner, kind))
      sumByDomain(count, topology).forEach((sum, at) => (sums[at] = (sums[at] ?? 0) + sum));
  return sums;
}

const NONE: ContainerKind = { labels: {} };
const isHard = ({ mode = 'hard' }: AffinityRule): boolean => mode === 'hard';
const indexOf = ({ affinity = [] }: PlacementRequest, rule: AffinityRule): number => affinity.indexOf(rule);
const rulesOf = (
  { affinity = [] }: PlacementRequest,
  kind: AffinityRule['kind'],
  hard: boolean,
): readonly AffinityRule[] => affinity.filter(rule => rule.kind === kind && isHard(rule) === hard);

const add = (counts: Float64Array, domain: number): void => {
  counts[domain] = (counts[domain] ?? 0) + 1;
};

/** Returns the hard rules that the request must be together with others. The first of containers that attract each other is free. */
export function togetherConstraints(request: PlacementRequest, table: NodeTable): readonly Constraint[] {
  const own = kindOf(request) ?? NONE;
  return rulesOf(request, 'together', true).map(rule => {
    const topology = topologyOf(table, rule.by);
    const there = concerned(rule, own, table, topology);
    const isOwn = concerns(rule, own, own);
    let total = there.reduce((sum, count) => sum + count, 0);
    return {
      code: 'AFFINITY',
      rule: indexOf(request, rule),
      topology,
      refuses: domain => (there[domain] ?? 0) === 0 && !(isOwn && total === 0),
      placed: domain => {
        if (!isOwn) return;
        add(there, domain);
        total += 1;
      },
    };
  });
}

/** Returns the hard rules that keep others from the request: its own, and those of the containers that are there. */
export function apartConstraints(request: PlacementRequest, table: NodeTable): readonly Constraint[] {
  const own = kindOf(request) ?? NONE;
  const forward = rulesOf(request, 'apart', true).map((rule): Constraint => {
    const topology = topologyOf(table, rule.by);
    const there = concerned(rule, own, table, topology);
    const isOwn = concerns(rule, own, own);
    return {
      code: 'ANTI_AFFINITY',
      rule: indexOf(request, rule),
      topology,
      refuses: domain => (there[domain] ?? 0) >= (rule.maxPer ?? 1),
      placed: domain => isOwn && add(there, domain),
    };
  });
  return [...forward, ...backwardConstraints(own, table)];
}

/** Each container that must be apart from the kind refuses it where one more would be as many as its rule excludes. */
function backwardConstraints(own: ContainerKind, table: NodeTable): readonly Constraint[] {
  const constraints: Constraint[] = [];
  for (const { kind, count } of table.contents.all()) {
    if (count.size === 0) continue;
    for (const rule of kind.affinity ?? []) {
      if (rule.kind !== 'apart' || !isHard(rule) || !concerns(rule, kind, own)) continue;
      const topology = topologyOf(table, rule.by);
      const there = concerned(rule, kind, table, topology);
      const owners = sumByDomain(count, topology);
      const itself = concerns(rule, kind, kind) ? 1 : 0;
      constraints.push({
        code: 'ANTI_AFFINITY',
        topology,
        refuses: domain => (owners[domain] ?? 0) > 0 && (there[domain] ?? 0) - itself + 1 >= (rule.maxPer ?? 1),
        placed: domain => add(there, domain),
      });
    }
  }
  return constraints;
}

/** A soft rule: the part of its weight that a domain earns. */
export interface SoftRule {
  readonly topology: Topology;
  readonly weight: number;
  readonly isMet: (domain: number) => boolean;
  readonly placed: (domain: number) => void;
}

export function softRules(request: PlacementRequest, table: NodeTable): readonly SoftRule[] {
  const own = kindOf(request) ?? NONE;
  return (request.affinity ?? [])
    .filter(rule => !isHard(rule))
    .map(rule => {
      const topology = topologyOf(table, rule.by);
      const there = concerned(rule, own, table, topology);
      const isOwn = concerns(rule, own, own);
      return {
        topology,
        weight: rule.weight ?? 50,
        isMet: domain =>
          rule.kind === 'together' ? (there[domain] ?? 0) > 0 : (there[domain] ?? 0) < (rule.maxPer ?? 1),
        placed: domain => isOwn && add(there, domain),
      };
    });
}

/** Returns by node index which hard rules of a container that is there are broken: the container itself does not count. */
export function standingAffinity(
  request: PlacementRequest,
  table: NodeTable,
): (node: number) => readonly ('AFFINITY' | 'ANTI_AFFINITY')[] {
  const own = kindOf(request) ?? NONE;
  const rules = (request.affinity ?? []).filter(isHard).map(rule => {
    const topology = topologyOf(table, rule.by);
    const there = concerned(rule, own, table, topology);
    const itself = concerns(rule, own, own) ? 1 : 0;
    const elsewhere = there.reduce((sum, count) => sum + count, 0) - itself;
    return { ...rule, topology, others: (domain: number) => (there[domain] ?? 0) - itself, elsewhere };
  });
  return node => {
    const broken = rules.flatMap(({ kind, maxPer = 1, topology, others, elsewhere }) => {
      const near = others(topology.of[node] ?? 0);
      if (kind === 'apart') return near >= maxPer ? (['ANTI_AFFINITY'] as const) : [];
      return near === 0 && elsewhere > 0 ? (['AFFINITY'] as const) : [];
    });
    return [...new Set(broken)];
  };
}
