import fc from 'fast-check';
import type { Decision } from '../kernel/decider.js';
import { endQuotaReservations, quotaStream, type QuotaAmounts, type QuotaEvent, type QuotaState } from './quota.js';
import { addedAmounts } from './quota-amounts.js';
import { quotaUsed, reserveQuota, type QuotaDemand, type QuotaUsage } from './quota-reservation.js';

const AT = '2026-01-01T00:00:00.000Z';
const NODE = { cpus: 2.5, memoryMb: 512 };

const amountsOf = (nodes: number): QuotaAmounts =>
  addedAmounts({ nodeGroups: 1, nodes, cpus: nodes * NODE.cpus, memoryMb: nodes * NODE.memoryMb });

/** An event of a node group: the nodes that it has from then on; null for its end; undefined where nothing changes. */
interface Change {
  readonly stream: string;
  readonly revision: number;
  readonly nodes: number | null | undefined;
}
type Logged = { readonly quota: QuotaEvent } | Change;

/** What a replica has seen: a prefix of the log, as its feed delivers it. */
interface Seen {
  upTo: number;
}

interface Limits {
  readonly nodeGroups: number;
  readonly nodes: number;
}

/** One log, replicas that see it late, and requests of which each step is done alone: reserve, then append. */
class Installation {
  readonly log: Logged[] = [];
  readonly replicas: readonly Seen[] = [{ upTo: 0 }, { upTo: 0 }];
  private made = 0;

  constructor(readonly limits: Limits) {
    this.log.push({ quota: { type: 'QuotaLimitsChanged', data: { limits } } });
  }

  quota(): QuotaState {
    return this.log.reduce(
      (state, entry) => ('quota' in entry ? quotaStream.evolve(state, entry.quota, AT) : state),
      quotaStream.initial,
    );
  }

  events(stream: string, upTo = this.log.length): readonly Change[] {
    return this.log.slice(0, upTo).filter((entry): entry is Change => 'stream' in entry && entry.stream === stream);
  }

  streams(): readonly string[] {
    return [...new Set(this.log.flatMap(entry => ('stream' in entry ? [entry.stream] : [])))];
  }

  /** What the groups have that exist; of those that end, nothing. */
  nodesOf(stream: string, upTo?: number): number | undefined {
    return this.events(stream, upTo).reduce<number | undefined>(
      (nodes, event) => (event.nodes === null ? undefined : (event.nodes ?? nodes)),
      undefined,
    );
  }

  usage({ upTo }: Seen): QuotaUsage {
    const amounts = (stream: string): QuotaAmounts | undefined => {
      const nodes = this.nodesOf(stream, upTo);
      return nodes === undefined ? undefined : amountsOf(nodes);
    };
    return {
      counted: addedAmounts(...this.streams().map(stream => amounts(stream) ?? {})),
      of: stream => {
        const [taken, revision] = [amounts(stream), this.events(stream, upTo).at(-1)?.revision ?? -1];
        return taken && { amounts: taken, revision };
      },
    };
  }

  living(): QuotaAmounts {
    return this.usage({ upTo: this.log.length }).counted;
  }

  /** Reserves for a new group, or for a change of the group `stream` as it is now. */
  reserve(replica: Seen, nodes: number, stream = `nodeGroup-${(this.made += 1)}`): QuotaDemand | undefined {
    const after = this.events(stream).length - 1;
    replica.upTo = Math.max(replica.upTo, this.log.findLastIndex(entry => 'quota' in entry) + 1);
    const id = after < 0 ? stream : `${stream}@${after}`;
    const demand = { id, stream, after, amounts: amountsOf(nodes) };
    return this.append(reserveQuota(this.quota(), this.usage(replica), demand)) ? demand : undefined;
  }

  /** Appends as the next event of the stream after that of the revision; nothing where another one came first, as in a store. */
  change(stream: string, after: number, nodes: Change['nodes']): void {
    const revision = this.events(stream).length;
    if (revision - 1 === after) this.log.push({ stream, revision, nodes });
  }

  /** What the reconciler does about all open reservations, `tooOld` where those without events have become old. */
  reconcile(tooOld: boolean): void {
    const ended = { created: [] as string[], abandoned: [] as string[] };
    for (const [id, { stream, after }] of this.quota().open) {
      const next = this.events(stream)[after + 1];
      if (next) (next.nodes === undefined ? ended.abandoned : ended.created).push(id);
      else if (tooOld) {
        this.change(stream, after, undefined);
        ended.abandoned.push(id);
      }
    }
    this.append(endQuotaReservations(this.quota(), ended));
  }

  private append(decision: Decision<QuotaEvent>): boolean {
    if (decision.ok) this.log.push(...decision.events.map(quota => ({ quota })));
    return decision.ok;
  }
}

const step = fc.oneof(
  fc.record({ do: fc.constant('create' as const), replica: fc.nat(1), nodes: fc.nat(3) }),
  fc.record({ do: fc.constant('resize' as const), replica: fc.nat(1), nodes: fc.nat(6), at: fc.nat(20) }),
  fc.record({ do: fc.constantFrom('append' as const, 'kill' as const, 'delete' as const), at: fc.nat(20) }),
  fc.record({ do: fc.constant('see' as const), replica: fc.nat(1), events: fc.nat(4) }),
  fc.record({ do: fc.constant('reconcile' as const), tooOld: fc.boolean() }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
type Between = QuotaDemand & { readonly nodes: number };

const take = <T>(from: readonly T[], at: number): T | undefined => from[at % Math.max(1, from.length)];

function perform(installation: Installation, between: Between[], each: Step): void {
  const living = (): readonly string[] =>
    installation.streams().filter(stream => installation.nodesOf(stream) !== undefined);
  switch (each.do) {
    case 'create':
    case 'resize': {
      const stream = each.do === 'resize' ? take(living(), each.at) : undefined;
      const replica = installation.replicas[each.replica] ?? { upTo: 0 };
      if (each.do === 'resize' && stream === undefined) return;
      const demand = installation.reserve(replica, each.nodes, stream);
      if (demand) between.push({ ...demand, nodes: each.nodes });
      return;
    }
    case 'see': {
      const replica = installation.replicas[each.replica];
      if (replica) replica.upTo = Math.min(installation.log.length, replica.upTo + each.events);
      return;
    }
    case 'reconcile':
      return installation.reconcile(each.tooOld);
    case 'delete': {
      const stream = take(living(), each.at);
      if (stream !== undefined) installation.change(stream, installation.events(stream).length - 1, null);
      return;
    }
    default: {
      const request = take(between, each.at);
      if (!request) return;
      between.splice(between.indexOf(request), 1);
      if (each.do === 'append') installation.change(request.stream, request.after, request.nodes);
    }
  }
}

function run(installation: Installation, steps: readonly Step[]): void {
  const { limits } = installation;
  /** Requests between their reservation and their event. */
  const between: Between[] = [];
  for (const each of steps) {
    perform(installation, between, each);
    const { nodeGroups = 0, nodes = 0 } = installation.living();
    expect(nodeGroups).toBeLessThanOrEqual(limits.nodeGroups);
    expect(nodes).toBeLessThanOrEqual(limits.nodes);
  }
}

const limits = fc.record({ nodeGroups: fc.nat(3), nodes: fc.nat(8) });
const steps = fc.array(step, { maxLength: 60 });

describe('creations and changes on two replicas, some of which are killed between their reservation and their event', () => {
  it('never take more than the limits', () => {
    fc.assert(fc.property(limits, steps, (limited, all) => run(new Installation(limited), all)));
  });

  it('lose no room: when everything has settled, exactly what lives is used, and the rest can be taken', () => {
    fc.assert(
      fc.property(limits, steps, ({ nodeGroups, nodes }, all) => {
        const installation = new Installation({ nodeGroups: nodeGroups + 1, nodes });
        run(installation, all);
        installation.reconcile(true);
        const [first = { upTo: 0 }] = installation.replicas;
        for (const replica of installation.replicas) {
          replica.upTo = installation.log.length;
          expect(quotaUsed(installation.quota(), installation.usage(replica))).toEqual(installation.living());
        }
        const [stream] = installation.streams().filter(each => installation.nodesOf(each) !== undefined);
        const left = nodes - (installation.living().nodes ?? 0);
        const target = (stream === undefined ? 0 : (installation.nodesOf(stream) ?? 0)) + left;
        const demand = installation.reserve(first, target, stream);
        expect(demand).toBeDefined();
        if (demand) installation.change(demand.stream, demand.after, target);
        first.upTo = installation.log.length;
        expect(installation.living().nodes ?? 0).toBe(nodes);
        expect(installation.reserve(first, target + 1, demand?.stream)).toBeUndefined();
      }),
    );
  });
});
