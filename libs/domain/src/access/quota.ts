import { accept, refuse, revisionMismatch, type Decision, type EventOf } from '../kernel/decider.js';
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

/** A number for each dimension; a dimension that is absent has none. */
export type QuotaAmounts = Readonly<Partial<Record<QuotaDimension, number>>>;

interface QuotaEvents {
  /** An operator set the limits of the project; a dimension that is absent is open. */
  QuotaLimitsChanged: { readonly limits: QuotaAmounts };
  /** Room was reserved for the next event of a stream, after which its resource has these amounts. */
  QuotaReserved: {
    readonly id: string;
    readonly stream: string;
    readonly amounts: QuotaAmounts;
    /** The revision of the last event before the reserved one; absent: the stream begins with it. */
    readonly after?: number;
  };
  /** The events that these reservations were for were appended, or others at their place: the resources are counted themselves. */
  QuotaReservationsSettled: { readonly ids: readonly string[] };
  /** The events that these reservations were for will never be appended. */
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
  /** The revision that the reserved event follows; -1 for a creation. */
  readonly after: number;
}

/** The state of a stream `quota-<projectId>`. */
export interface QuotaState {
  readonly limits: QuotaAmounts;
  /** Reservations by their ids: those of creations have the ids of the resources. */
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
    QuotaReserved: (s, { data: { id, stream, amounts, after = -1 } }, reservedAt) => ({
      ...s,
      open: new Map([...s.open, [id, { stream, amounts, reservedAt, after }]]),
    }),
    QuotaReservationsSettled: (s, { data: { ids } }) => without(s, ids),
    QuotaReservationsReleased: (s, { data: { ids } }) => without(s, ids),
  },
);

/** Replaces all limits; nothing to do where they are so already. Limits below what is used hold for what is asked for next. */
export function setQuotaLimits(
  state: QuotaState,
  limits: QuotaAmounts,
  ifMatch?: number,
): Decision<QuotaLimitsChanged> {
  if (ifMatch !== undefined && ifMatch !== state.revision) return refuse(revisionMismatch(ifMatch, state.revision));
  if (quotaDimensions.every(each => limits[each] === state.limits[each])) return accept();
  return accept({ type: 'QuotaLimitsChanged', data: { limits } });
}

/** Ends reservations: those whose events were appended, and those whose events never will be. */
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
