import { eventually, expectStatus, uniqueName } from '@stave/testing';
import { large, type Fleet } from './fleet.js';
import type { ContainerSetView, ResourceView } from './views.js';

/** What `GET /v1/container-sets/{id}/autoscaling` answers. */
export interface AutoscalingView {
  readonly state: string;
  readonly reason: string;
  readonly desired: number;
  readonly recommended: number | null;
  readonly metrics: readonly { readonly known: number; readonly unknown: number; readonly use: number | null }[];
  readonly heldUntil?: string;
  readonly lastChange: { readonly from: number; readonly to: number; readonly by?: string } | null;
  readonly evaluations: readonly { readonly at: string; readonly applied: number }[];
}

const QUICK = { windowSeconds: 5, intervalSeconds: 1, warmUpSeconds: 0, scaleIn: { stabilisationSeconds: 5 } };
/** CPUs of one member, of which it should use 0.4. */
const LIMIT = 0.5;
export const TARGET = 0.8;
const DECISION_MS = 90_000;

/** A container set on the driver `fake` that follows a load which the test sets. */
export class ScaledSet {
  private constructor(
    private readonly fleet: Fleet,
    readonly clusterId: string,
    readonly id: string,
  ) {}

  get path(): string {
    return `/v1/container-sets/${this.id}`;
  }

  /** Creates a set of two members, at least 1 and at most 6, whose load is `cpuCores` together. */
  static async create(fleet: Fleet, cpuCores: number, autoscaling: object = {}): Promise<ScaledSet> {
    const options = { load: { web: { cpuCores } } };
    const { id: hostCluster } = await fleet.cluster({ options }, [{ count: 2, flavor: large }]);
    const resources = { cpus: LIMIT, memoryMb: 64 };
    const profile = { name: uniqueName('p'), image: 'web:1', hostCluster, resources, labels: { load: 'web' } };
    const { id: profileId } = expectStatus(
      await fleet.api.post<ResourceView>('/v1/container-profiles', profile),
      201,
    ).body;
    const metrics = [{ resource: 'cpu', target: TARGET }];
    const settings = { enabled: true, metrics, ...QUICK, ...autoscaling };
    const body = { name: uniqueName('set'), profile: profileId, desired: 2, min: 1, max: 6, autoscaling: settings };
    const { id } = await fleet.api.succeed(fleet.api.post<ContainerSetView>('/v1/container-sets', body));
    return new ScaledSet(fleet, hostCluster, id);
  }

  /** The same set, by another connection. */
  over(fleet: Fleet): ScaledSet {
    return new ScaledSet(fleet, this.clusterId, this.id);
  }

  load(cpuCores: number): Promise<unknown> {
    const options = { load: { web: { cpuCores } } };
    return this.fleet.api.succeed(this.fleet.api.patch(`/v1/clusters/${this.clusterId}`, { options }));
  }

  read(): Promise<AutoscalingView> {
    return this.fleet.api.read(`${this.path}/autoscaling`);
  }

  /** Resolves when the answer is as expected. */
  is(what: string, fits: (answer: AutoscalingView) => boolean): Promise<AutoscalingView> {
    return eventually(
      async () => {
        const answer = await this.read();
        return fits(answer) ? answer : undefined;
      },
      { timeoutMs: DECISION_MS, what },
    );
  }

  /** Resolves when the set has this number of members, and all are available. */
  has(count: number): Promise<ContainerSetView> {
    return eventually(
      async () => {
        const set = await this.fleet.api.read<ContainerSetView & { readonly status: string }>(this.path);
        const isThere = set.desired === count && set.counts.available === count && set.counts.total === count;
        return isThere && set.status === 'ACTIVE' ? set : undefined;
      },
      { timeoutMs: DECISION_MS, what: `${count} members` },
    );
  }
}
