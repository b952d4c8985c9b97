import fc from 'fast-check';
import type { Decision } from '../kernel/decider.js';
import {
  endQuotaReservations,
  quotaStream,
  quotaUsed,
  reserveQuota,
  type QuotaEvent,
  type QuotaState,
} from './quota.js';

const AT = '2026-01-01T00:00:00.000Z';

type Logged = { readonly quota: QuotaEvent } | { readonly created: string } | { readonly deleted: string };

/** What a replica has seen: a prefix of the log, as its feed delivers it. */
interface Seen {
  upTo: number;
}

/** One log, replicas that see it late, and requests of which each step is done alone: reserve, then create. */
class Installation {
  readonly log: Logged[] = [];
  readonly living = new Set<string>();
  readonly abandoned = new Set<string>();
  readonly replicas: readonly Seen[] = [{ upTo: 0 }, { upTo: 0 }];
  private readonly streams = new Set<string>();
  private made = 0;

  constructor(readonly limit: number) {
    this.log.push({ quota: { type: 'QuotaLimitsChanged', data: { limits: { clusters: limit } } } });
  }

  quota(): QuotaState {
    return this.log.reduce(
      (state, entry) => ('quota' in entry ? quotaStream.evolve(state, entry.quota, AT) : state),
      quotaStream.initial,
    );
  }

  usage({ upTo }: Seen) {
    const seen = new Set<string>();
    for (const entry of this.log.slice(0, upTo)) {
      if ('created' in entry) seen.add(entry.created);
      if ('deleted' in entry) seen.delete(entry.deleted);
    }
    return { counted: { clusters: seen.size }, isCounted: (id: string) => seen.has(id) };
  }

  /** The replica decides on the newest quota stream once it has seen everything up to the last event of it. */
  reserve(replica: Seen): string | undefined {
    const id = `c${(this.made += 1)}`;
    replica.upTo = Math.max(replica.upTo, this.log.findLastIndex(entry => 'quota' in entry) + 1);
    const demand = { id, stream: `cluster-${id}`, amounts: { clusters: 1 } };
    return this.append(reserveQuota(this.quota(), this.usage(replica), demand)) ? id : undefined;
  }

  create(id: string): void {
    if (this.streams.has(id)) return; // the creation was abandoned
    this.streams.add(id);
    this.living.add(id);
    this.log.push({ created: id });
  }

  delete(id: string): void {
    if (this.living.delete(id)) this.log.push({ deleted: id });
  }

  /** What the reconciler does about all open reservations, `tooOld` where those without resources have become old. */
  reconcile(tooOld: boolean): void {
    const ended = { created: [] as string[], abandoned: [] as string[] };
    for (const id of this.quota().open.keys())
      if (this.abandoned.has(id)) ended.abandoned.push(id);
      else if (this.streams.has(id)) ended.created.push(id);
      else if (tooOld) {
        this.streams.add(id);
        this.abandoned.add(id);
        ended.abandoned.push(id);
      }
    this.append(endQuotaReservations(this.quota(), ended));
  }

  private append(decision: Decision<QuotaEvent>): boolean {
    if (decision.ok) this.log.push(...decision.events.map(quota => ({ quota })));
    return decision.ok;
  }
}

const step = fc.oneof(
  fc.record({ do: fc.constant('reserve' as const), replica: fc.nat(1) }),
  fc.record({ do: fc.constantFrom('create' as const, 'kill' as const, 'delete' as const), at: fc.nat(20) }),
  fc.record({ do: fc.constant('see' as const), replica: fc.nat(1), events: fc.nat(4) }),
  fc.record({ do: fc.constant('reconcile' as const), tooOld: fc.boolean() }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

function run(installation: Installation, steps: readonly Step[]): void {
  const { replicas, living, limit } = installation;
  /** Requests between their reservation and their creation. */
  const between: string[] = [];
  const take = (from: readonly string[], at: number): string | undefined => from[at % Math.max(1, from.length)];
  for (const each of steps) {
    if (each.do === 'reserve') {
      const id = installation.reserve(replicas[each.replica] ?? { upTo: 0 });
      if (id !== undefined) between.push(id);
    } else if (each.do === 'see') {
      const replica = replicas[each.replica];
      if (replica) replica.upTo = Math.min(installation.log.length, replica.upTo + each.events);
    } else if (each.do === 'reconcile') installation.reconcile(each.tooOld);
    else {
      const id = take(each.do === 'delete' ? [...living] : between, each.at);
      if (id === undefined) continue;
      if (each.do === 'delete') installation.delete(id);
      else between.splice(between.indexOf(id), 1);
      if (each.do === 'create') installation.create(id);
    }
    expect(living.size).toBeLessThanOrEqual(limit);
  }
}

describe('creations on two replicas, some of which are killed between their reservation and their creation', () => {
  it('never take more than the limit', () => {
    fc.assert(
      fc.property(fc.nat(4), fc.array(step, { maxLength: 60 }), (limit, steps) => {
        run(new Installation(limit), steps);
      }),
    );
  });

  it('lose no room: when everything has settled, exactly what lives is used, and the rest can be taken', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 60 }), (limit, steps) => {
        const installation = new Installation(limit);
        run(installation, steps);
        installation.reconcile(true);
        for (const replica of installation.replicas) {
          replica.upTo = installation.log.length;
          const used = quotaUsed(installation.quota(), installation.usage(replica), 'clusters');
          expect(used).toBe(installation.living.size);
        }
        const [replica = { upTo: 0 }] = installation.replicas;
        while (installation.living.size < limit) {
          const id = installation.reserve(replica);
          expect(id).toBeDefined();
          installation.create(id ?? '');
        }
        expect(installation.reserve(replica)).toBeUndefined();
      }),
    );
  });
});
