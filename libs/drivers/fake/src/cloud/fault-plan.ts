import { isFailureCode, type FailureClass, type FailureCode, type Options } from '@stave/driver-sdk';

type Latency = { readonly min: number; readonly max: number } | { readonly p50: number; readonly p99: number };

/** The faults that the options of a call request; without options there are none. */
export interface FaultPlan {
  readonly isEmpty: boolean;
  readonly latency: Latency | undefined;
  readonly slowDeathMs: number;
  readonly failFirst: number;
  readonly errorRate: number;
  readonly lostReplies: number;
  readonly failDelete: number;
  /** How many first calls on each resource are refused permanently, by kind such as `node.delete`. */
  readonly refuse: Readonly<Record<string, unknown>>;
  readonly lose: { readonly nodes: number; readonly afterMs: number } | undefined;
  readonly capacity: number | Readonly<Record<string, unknown>> | undefined;
  /** With which code the first attempts to build each node fail. */
  readonly nodeFault: { readonly code: FailureCode; readonly times: number } | undefined;
  readonly seed: string;
}

/** The class of each failure of infrastructure. */
export const infrastructureFailures: Readonly<Partial<Record<FailureCode, FailureClass>>> = {
  'quota-exceeded': 'capacity',
  'no-valid-host': 'capacity',
  'no-machine': 'capacity',
  'zone-unknown': 'permanent',
  'flavor-unknown': 'permanent',
  'image-unknown': 'permanent',
  'image-os-mismatch': 'permanent',
  'node-not-ready': 'transient',
  'node-reported-failure': 'transient',
};

const noFaults = planOf({});
const zOf99 = 2.326;

/** Reads the plan from driver options; ignores all other options. */
export const faultPlan = (options: Options): FaultPlan =>
  Object.keys(options).length === 0 ? noFaults : planOf(options);

function planOf(options: Options): FaultPlan {
  const {
    slowDeathMs,
    failFirst,
    errorRate,
    lostReplies,
    failDelete,
    latencyMs,
    capacity,
    lose,
    refuse,
    seed,
    nodeFault,
  } = options;
  return {
    isEmpty: Object.keys(options).length === 0,
    latency: latencyOf(latencyMs),
    slowDeathMs: numberOf(slowDeathMs),
    failFirst: numberOf(failFirst),
    errorRate: numberOf(errorRate),
    lostReplies: numberOf(lostReplies),
    failDelete: numberOf(failDelete),
    refuse: isRecord(refuse) ? refuse : {},
    lose: isRecord(lose) ? { nodes: numberOf(lose['nodes']), afterMs: numberOf(lose['afterMs']) } : undefined,
    capacity: typeof capacity === 'number' || isRecord(capacity) ? capacity : undefined,
    nodeFault: nodeFaultOf(nodeFault),
    seed: typeof seed === 'string' || typeof seed === 'number' ? String(seed) : '0',
  };
}

/** Returns the milliseconds that a call takes, drawn by `key`. */
export function sampleLatency(plan: FaultPlan, key: string): number {
  const { latency } = plan;
  if (!latency) return 0;
  const u = chance(plan.seed, `latency:${key}`);
  if ('min' in latency) return latency.min + u * (latency.max - latency.min);
  if (latency.p50 <= 0) return 0;
  const sigma = Math.log(Math.max(latency.p99, latency.p50) / latency.p50) / zOf99;
  return latency.p50 * Math.exp(sigma * normal(plan.seed, key));
}

/** Returns the maximum number of nodes in this zone or in the cluster; undefined when there is no limit. */
export function capacityOf({ capacity }: FaultPlan, zone = ''): { limit: number; perZone: boolean } | undefined {
  const perZone = typeof capacity === 'object';
  const limit = perZone ? capacity[zone] : capacity;
  return typeof limit === 'number' ? { limit, perZone } : undefined;
}

/** Returns a standard normal variate (Box-Muller transform). */
function normal(seed: string, key: string): number {
  const u = 1 - chance(seed, `normal1:${key}`);
  return Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * chance(seed, `normal2:${key}`));
}

function latencyOf(value: unknown): Latency | undefined {
  if (typeof value === 'number') return value > 0 ? { min: value, max: value } : undefined;
  if (!isRecord(value)) return undefined;
  if ('p50' in value) return { p50: numberOf(value['p50']), p99: numberOf(value['p99']) };
  return { min: numberOf(value['min']), max: numberOf(value['max']) };
}

function nodeFaultOf(value: unknown): FaultPlan['nodeFault'] {
  if (!isRecord(value) || !isFailureCode(String(value['code']))) return undefined;
  return { code: value['code'] as FailureCode, times: numberOf(value['times'] ?? 1) };
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a pseudo-random number in [0, 1) that depends on seed and key only: FNV-1a and the finaliser of MurmurHash3 (public domain). */
export function chance(seed: string, key: string): number {
  let hash = 0x811c9dc5;
  const input = `${seed.length}:${seed}${key}`;
  for (let i = 0; i < input.length; i++) hash = Math.imul(hash ^ input.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 0x100000000;
}
