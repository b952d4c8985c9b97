import type { CloudUnit } from '../world/cloud.js';
import type { Replica } from '../services/replica.js';
import { classifyUnit, type Verdict } from '../world/judge.js';
import { checkpoint, type DriverHarness } from './driver-run.js';
import type { SimSession } from './sim-session.js';

const GRACE_MS = { gone: 5_000, never: 15_000 };

interface Judged {
  readonly unit: CloudUnit;
  readonly verdict: Verdict;
}

/** The orphan sweep: what the services call gone or never, twice, with a grace between, is removed. */
export class SimSweep {
  private readonly since = new Map<string, { readonly verdict: Verdict; readonly at: number }>();

  constructor(
    private readonly world: DriverHarness,
    private readonly anyReplica: () => Replica | undefined,
  ) {}

  sweep(session: SimSession): void {
    const { network, host, cloud } = this.world;
    network.request<readonly CloudUnit[]>(
      host,
      undefined,
      reply => reply(cloud.list()),
      units => units && session.alive && this.judge(session, units),
    );
  }

  private judge(session: SimSession, units: readonly CloudUnit[]): void {
    const { network, host, log, mutation } = this.world;
    network.request<readonly Judged[]>(
      host,
      this.anyReplica()?.process,
      reply => reply(units.map(unit => ({ unit, verdict: classifyUnit(log.truth, unit, mutation) }))),
      judged => judged?.forEach(one => this.remember(session, one)),
    );
  }

  private remember(session: SimSession, { unit, verdict }: Judged): void {
    const { host, network, cloud } = this.world;
    const known = this.since.get(unit.infrastructureId);
    if (verdict === 'live') this.since.delete(unit.infrastructureId);
    else if (known?.verdict !== verdict) this.since.set(unit.infrastructureId, { verdict, at: host.clock() });
    else if (host.clock() - known.at >= GRACE_MS[verdict])
      checkpoint(this.world, session, () => network.send(host, undefined, () => cloud.remove(unit)));
  }
}
