import { fmix32 } from '../ring/murmur3.js';
import { softRules, type SoftRule } from './affinity.js';
import { untolerated } from './filters/tolerations.js';
import { useWindowOf } from './filters/use-limits.js';
import { freeShare } from './free-share.js';
import { milli } from './milli.js';
import type { PlacementPolicy, PlacementRequest, ScorerName } from './model.js';
import type { NodeTable } from './node-table.js';
import { spreadCounts } from './spread.js';
import { sumByDomain, topologyOf, type Topology } from './topology.js';

/** The part of a score that is the same for all nodes of a domain. */
export interface DomainScore {
  readonly topology: Topology;
  readonly of: (domain: number) => number;
}

/** One scorer, compiled for a request. Each part is from 0 to 1 and so is their sum. */
export interface Scorer {
  readonly name: ScorerName;
  /** Its weight divided by the sum of the weights. */
  share: number;
  /** The part that follows from the node; only a placement on the node changes it. */
  readonly local?: (node: number) => number;
  readonly domains: readonly DomainScore[];
  /** Counts one more container of the request on the node. */
  readonly placed?: (node: number) => void;
}

type Compiled = Omit<Scorer, 'name' | 'share'>;
type Compile = (request: PlacementRequest, table: NodeTable, seed: number) => Compiled | undefined;

const cpuShare = ({ cpus }: PlacementRequest, table: NodeTable): ((node: number) => number) => {
  const wanted = milli(cpus);
  return node => freeShare(table.freeMilli[node], wanted, table.capMilli[node]);
};

const memoryShare =
  ({ memoryMb }: PlacementRequest, table: NodeTable): ((node: number) => number) =>
  node =>
    freeShare(table.freeMemory[node], memoryMb, table.capMemory[node]);

const unused =
  (resource: 'cpu' | 'memory'): Compile =>
  (request, table) => {
    const window = useWindowOf(request);
    return {
      local: node => {
        const use = table.use(node, window)[resource];
        return use === undefined ? 0.5 : Math.min(1, Math.max(0, 1 - use));
      },
      domains: [],
    };
  };

/** Half for a node without containers, less with each; the other half is the share of all that is in other zones. A set counts its members. */
function spread(request: PlacementRequest, table: NodeTable): Compiled {
  const topology = topologyOf(table, 'zone');
  if (request.setId === undefined)
    return {
      local: node => 0.5 / (1 + (table.containers[node] ?? 0)),
      domains: [
        { topology, of: zone => 0.5 * (1 - (table.zoneContainers[zone] ?? 0) / Math.max(1, table.totalContainers)) },
      ],
    };
  const counts = [...spreadCounts(request, table)];
  const onNode = new Map<number, number>();
  for (const [node, count] of counts) onNode.set(node, (onNode.get(node) ?? 0) + count);
  const inZone = sumByDomain(counts, topology);
  let total = inZone.reduce((sum, count) => sum + count, 0);
  return {
    local: node => 0.5 / (1 + (onNode.get(node) ?? 0)),
    domains: [{ topology, of: zone => 0.5 * (1 - (inZone[zone] ?? 0) / Math.max(1, total)) }],
    placed: node => {
      const zone = topology.of[node] ?? 0;
      onNode.set(node, (onNode.get(node) ?? 0) + 1);
      inZone[zone] = (inZone[zone] ?? 0) + 1;
      total += 1;
    },
  };
}

/** The soft rules that are met, by weight. */
function affinity(request: PlacementRequest, table: NodeTable): Compiled | undefined {
  const rules = softRules(request, table);
  const sum = rules.reduce((total, { weight }) => total + weight, 0);
  if (sum === 0) return undefined;
  const part = ({ isMet, weight }: SoftRule, domain: number): number => (isMet(domain) ? weight / sum : 0);
  const byNode = rules.filter(({ topology }) => topology.by === 'node');
  return {
    local: node => byNode.reduce((total, rule) => total + part(rule, node), 0),
    domains: rules
      .filter(({ topology }) => topology.by !== 'node')
      .map(rule => ({ topology: rule.topology, of: domain => part(rule, domain) })),
    placed: node => rules.forEach(({ topology, placed }) => placed(topology.of[node] ?? 0)),
  };
}

/** 1 for a node without a taint that the request should avoid, less with each. */
function untainted({ tolerations }: PlacementRequest, { views, softTainted }: NodeTable): Compiled | undefined {
  if (softTainted === 0) return undefined;
  return { local: node => 1 / (1 + untolerated(views[node]?.softTaints, tolerations).length), domains: [] };
}

const scorers: { readonly [S in ScorerName]: Compile } = {
  leastCpu: (request, table) => ({ local: cpuShare(request, table), domains: [] }),
  leastMemory: (request, table) => ({ local: memoryShare(request, table), domains: [] }),
  leastCpuUse: unused('cpu'),
  leastMemoryUse: unused('memory'),
  spread,
  pack: (request, table) => {
    const [cpu, memory] = [cpuShare(request, table), memoryShare(request, table)];
    return { local: node => 1 - (cpu(node) + memory(node)) / 2, domains: [] };
  },
  // a placement draws again for its node, so that equal requests do not follow each other
  random: (_request, { hash, containers }, seed) => ({
    local: node => fmix32((hash[node] ?? 0) ^ fmix32((containers[node] ?? 0) ^ seed)) / 2 ** 32,
    domains: [],
  }),
  affinity,
  untainted,
};

const NAMES = Object.keys(scorers) as readonly ScorerName[];

/** Returns the scorers with a weight that can separate nodes for the request. The weights of its placement policies win. */
export function scorersOf(
  request: PlacementRequest,
  table: NodeTable,
  policy: PlacementPolicy,
  seed: number,
): readonly Scorer[] {
  const weights = { ...policy.weights, ...request.placement?.scorers };
  const compiled = NAMES.flatMap((name): Scorer[] => {
    const share = weights[name] ?? 0;
    const scorer = share > 0 ? scorers[name](request, table, seed) : undefined;
    return scorer === undefined ? [] : [{ name, share, ...scorer }];
  });
  const sum = compiled.reduce((total, { share }) => total + share, 0);
  for (const scorer of compiled) scorer.share /= sum;
  return compiled;
}
