import type { PlacementRequest } from './model.js';
import type { NodeTable } from './node-table.js';
import { sumByDomain, topologyOf, type Constraint, type Topology } from './topology.js';

/** Returns by node how many containers count for the spread of the request: those of its set that stay, or all without a set. */
export function* spreadCounts({ setId }: PlacementRequest, table: NodeTable): Generator<readonly [number, number]> {
  if (setId === undefined) {
    for (let node = 0; node < table.size; node += 1) yield [node, table.containers[node] ?? 0];
    return;
  }
  for (const { kind, count, leaving } of table.contents.all()) {
    if (kind.setId !== setId) continue;
    for (const [node, all] of count) yield [node, all - (leaving.get(node) ?? 0)];
  }
}

export interface SpreadConstraint extends Constraint {
  /** Forgets the domains that were observed. */
  readonly reset: () => void;
  /** Says that the domain has a node that passes the filters that count; the least filled of such domains is compared with. */
  readonly observe: (domain: number) => void;
  /** Whether the domain is refused although it has a node that passes the other filters. */
  readonly wouldRefuse: (domain: number) => boolean;
}

/** Returns the hard spread of the request. */
export function spreadConstraints(request: PlacementRequest, table: NodeTable): readonly SpreadConstraint[] {
  return (request.spread ?? [])
    .map((rule, at) => ({ ...rule, at }))
    .filter(({ mode = 'hard' }) => mode === 'hard')
    .map(({ by, maxSkew = 1, at }) => {
      const topology = topologyOf(table, by);
      const counts = sumByDomain(spreadCounts(request, table), topology);
      let least = Infinity;
      return {
        code: 'SPREAD_EXCEEDED',
        rule: at,
        topology,
        reset: () => {
          least = Infinity;
        },
        observe: domain => {
          least = Math.min(least, counts[domain] ?? 0);
        },
        refuses: domain => (counts[domain] ?? 0) + 1 - least > maxSkew,
        wouldRefuse: domain => {
          const own = counts[domain] ?? 0;
          return own + 1 - Math.min(least, own) > maxSkew;
        },
        placed: domain => {
          counts[domain] = (counts[domain] ?? 0) + 1;
        },
      };
    });
}

/** What is better than any score: domains with a lower value come first. */
export interface Preference {
  readonly topology: Topology;
  readonly value: (domain: number) => number;
  readonly placed: (domain: number) => void;
}

/** Returns the soft spread of the request: the least filled domain first. */
export function spreadPreferences(request: PlacementRequest, table: NodeTable): readonly Preference[] {
  return (request.spread ?? [])
    .filter(({ mode }) => mode === 'soft')
    .map(({ by }) => {
      const topology = topologyOf(table, by);
      const counts = sumByDomain(spreadCounts(request, table), topology);
      return {
        topology,
        value: domain => counts[domain] ?? 0,
        placed: domain => {
          counts[domain] = (counts[domain] ?? 0) + 1;
        },
      };
    });
}
