import {
  accept,
  brokenRules,
  refuse,
  revisionMismatch,
  type Decision,
  type EventOf,
  type Refusal,
} from '../kernel/decider.js';
import { defineStream } from '../kernel/stream-definition.js';

/** What the quotas of a project limit. */
export const quotaDimensions = [
  'clusters',
  'nodeGroups',
  'nodes',
  'cpus',
  'memoryMb',
  'containers',
  'networks',
  'volumes',
  'templates',
  'keys',
] as const;

export type QuotaDimension = (typeof quotaDimensions)[number];

/** The dimensions that creations are held to. Limits of the others are refused. */
export const enforcedQuotas = ['clusters', 'keys'] as const satisfies readonly QuotaDimension[];

export type EnforcedQuota = (typeof enforcedQuotas)[number];

/** A number for each dimension; a dimension that is absent has none. */
export type QuotaAmounts = Readonly<Partial<Record<QuotaDimension, number>>>;

interface QuotaEvents {
  /** An operator set the limits of the project; a dimension that is absent is open. */
  QuotaLimitsChanged: { readonly limits: QuotaAmounts };
  /** Room was reserved for a resource that is created next, in this stream. */
  QuotaReserved: { readonly id: string; readonly stream: string; readonly amounts: QuotaAmounts };
  /** The resources with these ids were created: they are counted themselves. */
  QuotaReservationsSettled: { readonly ids: readonly string[] };
  /** The resources with these ids will never be created. */
  QuotaReservationsReleased: { readonly ids: readonly string[] };
}

export type QuotaEvent = EventOf<QuotaEvents>;
export type QuotaLimitsChanged = EventOf<QuotaEvents, 'QuotaLimitsChanged'>;
export type QuotaReserved = EventOf<QuotaEvents, 'QuotaReserved'>;
export type QuotaReservationEnded = EventOf<QuotaEvents, 'QuotaReservationsSettled' | 'QuotaReservationsReleased'>;

export interface QuotaReservation {
  readonly stream: string;
  readonly amounts: QuotaAmounts;
  readonly reservedAt: string;
}

/** The state of a stream `quota-<projectId>`. */
export interface QuotaState {
  readonly limits: QuotaAmounts;
  /** Reservations for resources that are being created, by the ids of the resources. */
  readonly open: ReadonlyMap<string, QuotaReservation>;
  /** Counts the changes of the limits; 1 before the first. */
  readonly revision: number;
}

const without = (state: QuotaState, ids: readonly string[]): QuotaState => {
  const ended = new Set(ids);
  return { ...state, open: new Map([...state.open].filter(([id]) => !ended.has(id))) };
};

export const quotaStream = defineStream<QuotaState, QuotaEvent>(
  'quota',
  { limits: {}, open: new Map(), revision: 1 },
  {
    QuotaLimitsChanged: (s, { data: { limits } }) => ({ ...s, limits, revision: s.revision + 1 }),
    QuotaReserved: (s, { data: { id, stream, amounts } }, reservedAt) => ({
      ...s,
      open: new Map([...s.open, [id, { stream, amounts, reservedAt }]]),
    }),
    QuotaReservationsSettled: (s, { data: { ids } }) => without(s, ids),
    QuotaReservationsReleased: (s, { data: { ids } }) => without(s, ids),
  },
);

/** The resources of a project that exist. */
export interface QuotaUsage {
  readonly counted: QuotaAmounts;
  /** Whether the resource with this id is among them. */
  readonly isCounted: (id: string) => boolean;
}

/** One dimension of a request: what the project may have, what it has, and what the request adds. */
export interface QuotaClaim {
  readonly name: QuotaDimension;
  readonly limit: number;
  readonly used: number;
  readonly asked: number;
}

const notEnforced = (dimension: QuotaDimension) => ({
  pointer: `/limits/${dimension}`,
  code: 'quota-not-enforced',
  detail: `this release cannot limit ${dimension}; leave it out or send null`,
});

const isEnforced = (dimension: QuotaDimension): boolean =>
  (enforcedQuotas as readonly QuotaDimension[]).includes(dimension);

/** Replaces all limits; nothing to do where they are so already. Limits below what is used hold for what is created next. */
export function setQuotaLimits(
  state: QuotaState,
  limits: QuotaAmounts,
  ifMatch?: number,
): Decision<QuotaLimitsChanged> {
  if (ifMatch !== undefined && ifMatch !== state.revision) return refuse(revisionMismatch(ifMatch, state.revision));
  const problems = quotaDimensions.filter(each => limits[each] !== undefined && !isEnforced(each)).map(notEnforced);
  if (problems.length > 0) return refuse(brokenRules(problems));
  if (quotaDimensions.every(each => limits[each] === state.limits[each])) return accept();
  return accept({ type: 'QuotaLimitsChanged', data: { limits } });
}

/** Returns what of a dimension is used: by resources that exist, and by reservations for others. */
export function quotaUsed(state: QuotaState, usage: QuotaUsage, dimension: QuotaDimension): number {
  let used = usage.counted[dimension] ?? 0;
  for (const [id, { amounts }] of state.open) if (!usage.isCounted(id)) used += amounts[dimension] ?? 0;
  return used;
}

/** Returns the limited dimensions that a request would change. */
export const quotaClaims = (state: QuotaState, usage: QuotaUsage, asked: QuotaAmounts): readonly QuotaClaim[] =>
  quotaDimensions.flatMap(name => {
    const [limit, growth = 0] = [state.limits[name], asked[name]];
    if (limit === undefined || growth === 0) return [];
    return [{ name, limit, used: quotaUsed(state, usage, name), asked: growth }];
  });

export interface QuotaDemand {
  /** The id of the resource that is to be created. */
  readonly id: string;
  /** The stream that its creation begins. */
  readonly stream: string;
  readonly amounts: QuotaAmounts;
}

/**
 * Reserves room for a resource before it is created. Nothing to do where no limit concerns it, where it has its reservation, and where it
 * exists. Refused with every dimension that has no room.
 */
export function reserveQuota(
  state: QuotaState,
  usage: QuotaUsage,
  { id, stream, amounts }: QuotaDemand,
): Decision<QuotaReserved> {
  if (state.open.has(id) || usage.isCounted(id)) return accept();
  const claims = quotaClaims(state, usage, amounts);
  if (claims.length === 0) return accept();
  const exceeded = claims.filter(({ limit, used, asked }) => asked > 0 && used + asked > limit);
  if (exceeded.length > 0) return refuse(quotaExceeded(exceeded));
  return accept({ type: 'QuotaReserved', data: { id, stream, amounts } });
}

const quotaExceeded = (quotas: readonly QuotaClaim[]): Refusal => ({
  code: 'quota-exceeded',
  kind: 'conflict',
  detail: `the quota of the project has no room: ${quotas.map(claimText).join('; ')}`,
  extra: { quotas },
});

const claimText = ({ name, limit, used, asked }: QuotaClaim): string =>
  `${name}: ${used} of ${limit} are used, ${asked} more were asked for`;

/** Ends reservations: those whose resources were created, and those whose resources never will be. */
export function endQuotaReservations(
  state: QuotaState,
  { created, abandoned }: { readonly created: readonly string[]; readonly abandoned: readonly string[] },
): Decision<QuotaReservationEnded> {
  const events: QuotaReservationEnded[] = [];
  const [settled, released] = [created, abandoned].map(ids => ids.filter(id => state.open.has(id)));
  if (settled && settled.length > 0) events.push({ type: 'QuotaReservationsSettled', data: { ids: settled } });
  if (released && released.length > 0) events.push({ type: 'QuotaReservationsReleased', data: { ids: released } });
  return accept(...events);
}
