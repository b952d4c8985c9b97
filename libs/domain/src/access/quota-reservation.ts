import { accept, refuse, type Decision, type Refusal } from '../kernel/decider.js';
import { omitUndefined } from '../kernel/json.js';
import {
  quotaDimensions,
  type QuotaAmounts,
  type QuotaDimension,
  type QuotaReserved,
  type QuotaState,
} from './quota.js';
import { addedAmounts, amountsBeyond, greaterAmounts } from './quota-amounts.js';

/** What one resource takes, as far as the decider has seen its stream. */
export interface CountedResource {
  readonly amounts: QuotaAmounts;
  /** The revision of the last event of its stream; -1 for one that was accepted with another resource and has no stream yet. */
  readonly revision: number;
}

/** The resources of a project that exist. */
export interface QuotaUsage {
  /** What all of them take. */
  readonly counted: QuotaAmounts;
  /** Returns what the resource of a stream takes; undefined where it does not exist. */
  readonly of: (stream: string) => CountedResource | undefined;
}

/** One dimension of a request: what the project may have, what it has, and what the request adds. */
export interface QuotaClaim {
  readonly name: QuotaDimension;
  readonly limit: number;
  readonly used: number;
  readonly asked: number;
}

/** What a resource takes after the next event of its stream. */
export interface QuotaDemand {
  /** The id of the reservation. */
  readonly id: string;
  readonly stream: string;
  /** The revision of the last event of the stream; -1 for a resource that is created. */
  readonly after: number;
  /** All that the resource takes then. */
  readonly amounts: QuotaAmounts;
}

/** Whether the place of the reserved event is taken: the resource counts as it is. */
const isPast = (counted: CountedResource | undefined, after: number): boolean =>
  counted !== undefined && counted.revision > after;

/** Returns the greatest amounts that are reserved for the next events of each stream. */
function reservedByStream({ open }: QuotaState, usage: QuotaUsage): ReadonlyMap<string, QuotaAmounts> {
  const reserved = new Map<string, QuotaAmounts>();
  for (const { stream, after, amounts } of open.values())
    if (!isPast(usage.of(stream), after)) reserved.set(stream, greaterAmounts(amounts, reserved.get(stream) ?? {}));
  return reserved;
}

/** Returns what the resource of a stream takes, or will take with what is reserved for it. */
const heldBy = (stream: string, usage: QuotaUsage, reserved: ReadonlyMap<string, QuotaAmounts>): QuotaAmounts =>
  greaterAmounts(usage.of(stream)?.amounts ?? {}, reserved.get(stream) ?? {});

/** Returns what is used: by resources that exist, and by what is reserved beyond. */
export function quotaUsed(state: QuotaState, usage: QuotaUsage): QuotaAmounts {
  const reserved = reservedByStream(state, usage);
  const beyond = [...reserved.keys()].map(stream =>
    amountsBeyond(heldBy(stream, usage, reserved), usage.of(stream)?.amounts ?? {}),
  );
  return addedAmounts(usage.counted, ...beyond);
}

/** Returns the limited dimensions that a request would change. */
export function quotaClaims(
  state: QuotaState,
  usage: QuotaUsage,
  { stream, amounts }: Pick<QuotaDemand, 'stream' | 'amounts'>,
): readonly QuotaClaim[] {
  const growth = amountsBeyond(amounts, heldBy(stream, usage, reservedByStream(state, usage)));
  const names = quotaDimensions.filter(name => state.limits[name] !== undefined && growth[name] !== undefined);
  if (names.length === 0) return [];
  const used = quotaUsed(state, usage);
  return names.map(name => {
    const [limit, asked] = [state.limits[name] ?? 0, growth[name] ?? 0];
    return { name, limit, used: used[name] ?? 0, asked };
  });
}

/**
 * Reserves room for the next event of a stream before it is appended. Nothing to do where no limit concerns it, where it has its reservation,
 * and where another event took its place: the request decides again then. Refused with every dimension that has no room.
 */
export function reserveQuota(state: QuotaState, usage: QuotaUsage, demand: QuotaDemand): Decision<QuotaReserved> {
  const { id, stream, after, amounts } = demand;
  if (isPast(usage.of(stream), after)) return accept();
  const growing = quotaClaims(state, usage, demand).filter(({ asked }) => asked > 0);
  if (growing.length === 0) return accept();
  const exceeded = growing.filter(({ limit, used, asked }) => used + asked > limit);
  if (exceeded.length > 0) return refuse(quotaExceeded(exceeded));
  const wanted = greaterAmounts(amounts, state.open.get(id)?.amounts ?? {});
  const place = omitUndefined({ after: after < 0 ? undefined : after });
  return accept({ type: 'QuotaReserved', data: { id, stream, amounts: wanted, ...place } });
}

const quotaExceeded = (quotas: readonly QuotaClaim[]): Refusal => ({
  code: 'quota-exceeded',
  kind: 'conflict',
  detail: `the quota of the project has no room: ${quotas.map(claimText).join('; ')}`,
  extra: { quotas },
});

const claimText = ({ name, limit, used, asked }: QuotaClaim): string =>
  `${name}: ${used} of ${limit} are used, ${asked} more were asked for`;

/** Returns how many more units of these amounts a project may have; Infinity where no limit concerns them. */
export function quotaLeft(state: QuotaState, usage: QuotaUsage, unit: QuotaAmounts): number {
  const names = quotaDimensions.filter(name => state.limits[name] !== undefined && (unit[name] ?? 0) > 0);
  if (names.length === 0) return Infinity;
  const used = quotaUsed(state, usage);
  const left = names.map(name => ((state.limits[name] ?? 0) - (used[name] ?? 0)) / (unit[name] ?? 1));
  return Math.max(0, Math.floor(Math.min(...left) + 1e-9));
}
