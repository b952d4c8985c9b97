import type { Options } from '@stave/driver-sdk';
import { chance } from './chance.js';

type Latency = { readonly min: number; readonly max: number } | { readonly p50: number; readonly p99: number };

/** The faults that the options of a call request; without options there are none. */
export interface FaultPlan {
  /** Whether no fault and no latency is requested. */
  readonly isEmpty: boolean;
  readonly latency?: Latency;
  readonly slowDeathMs: number;
  readonly failFirst: number;
  readonly errorRate: number;
  readonly lostReplies: number;
  readonly failDelete: number;
  /** How many first calls on each resource are refused permanently, by kind such as `node.delete`. */
  readonly refuse: Readonly<Record<string, unknown>>;
  readonly lose?: { readonly nodes: number; readonly afterMs: number };
  readonly capacity?: number | Readonly<Record<string, unknown>>;
  readonly seed: string;
}

const noFaults: FaultPlan = {
  isEmpty: true,
  slowDeathMs: 0,
  failFirst: 0,
  errorRate: 0,
  lostReplies: 0,
  failDelete: 0,
  refuse: {},
  seed: '0',
};
const zOf99 = 2.326;

/** Reads the plan from driver options; ignores all other options. */
export function faultPlan(options: Options): FaultPlan {
  if (Object.keys(options).length === 0) return noFaults;
  const { latencyMs, capacity, lose, seed } = options;
  const latency = latencyOf(latencyMs);
  return {
    isEmpty: false,
    ...(latency && { latency }),
    slowDeathMs: numberOf(options['slowDeathMs']),
    failFirst: numberOf(options['failFirst']),
    errorRate: numberOf(options['errorRate']),
    lostReplies: numberOf(options['lostReplies']),
    failDelete: numberOf(options['failDelete']),
    refuse: isRecord(options['refuse']) ? options['refuse'] : {},
    ...(isRecord(lose) && { lose: { nodes: numberOf(lose['nodes']), afterMs: numberOf(lose['afterMs']) } }),
    ...((typeof capacity === 'number' || isRecord(capacity)) && { capacity }),
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

/** Returns how many calls of this kind are refused on each resource. */
export const refusalsOf = (plan: FaultPlan, call: string): number => numberOf(plan.refuse[call]);

/** Returns the maximum number of nodes in this zone or in the cluster; undefined when there is no limit. */
export function capacityOf(plan: FaultPlan, zone: string | undefined): { limit: number; perZone: boolean } | undefined {
  if (plan.capacity === undefined) return undefined;
  if (typeof plan.capacity === 'number') return { limit: plan.capacity, perZone: false };
  const limit = plan.capacity[zone ?? ''];
  return typeof limit === 'number' ? { limit, perZone: true } : undefined;
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

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
