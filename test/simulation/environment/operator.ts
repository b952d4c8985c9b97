import type { ResourceName } from '@stave/contracts';
import { Client } from './client.js';
import type { Environment } from './environment.js';
import { drawRequest } from './requests.js';

const CLUSTER = 'alpha';
const flavor = { cpus: 2, memoryMb: 2_048 };

/** Sends the requests of operators in one schedule. */
export class Operator {
  readonly client: Client;
  private clusterId: string | undefined;

  constructor(
    private readonly environment: Environment,
    private readonly faultsMs: number,
  ) {
    this.client = new Client(environment.outside);
  }

  start(): void {
    const { sim } = this.environment.outside;
    const actions = sim.random.within(sim.profile.actions);
    this.client.after(1_000, () => void this.create());
    for (let i = 0; i < actions; i++) this.client.after(sim.random.int(3_000, this.faultsMs), () => void this.act());
    if (sim.random.chance(sim.profile.deleted))
      this.client.after(sim.random.int(this.faultsMs / 4, this.faultsMs), () => void this.removeCluster());
  }

  /** Requests a retry of everything whose retries are exhausted. */
  async retryFailed(): Promise<void> {
    const { clusters, groups, nodes, containers } = this.environment.reference;
    const failed = (states: ReadonlyMap<string, { readonly work: { readonly wanted?: object } }>): string[] =>
      [...states].flatMap(([id, { work }]) => (hasFailed(work.wanted) ? [id] : []));
    const retry = (resource: ResourceName, id: string): Promise<unknown> =>
      this.client.command(resource, 'action', { id, action: 'retry' });
    for (const id of failed(clusters.all)) await retry('cluster', id);
    for (const id of failed(nodes.all)) await retry('node', id);
    for (const id of failed(containers.all)) await retry('container', id);
    for (const [id, { status, deleted }] of groups.all)
      if (status === 'DEGRADED' && !deleted) await retry('node-group', id);
  }

  private async create(): Promise<void> {
    const { random } = this.environment.outside.sim;
    const nodeGroups = Array.from({ length: random.int(1, 2) }, (_, i) => ({
      name: `group-${i}`,
      role: 'worker',
      count: random.int(1, 3),
      flavor,
    }));
    const body = { name: CLUSTER, driver: 'fake', conductorGroup: 'a', nodeGroups };
    for (let tries = 0; tries < 5 && this.clusterId === undefined; tries++) {
      const { data } = await this.client.command('cluster', 'create', body);
      this.clusterId = data?.resource?.id;
    }
    const resources = { cpus: 1, memoryMb: 512 };
    const profile = { name: 'web', image: 'web:1', resources, hostCluster: CLUSTER };
    await this.client.command('container-profile', 'create', profile);
  }

  private async removeCluster(): Promise<void> {
    if (this.clusterId !== undefined) await this.client.command('cluster', 'delete', { id: this.clusterId });
  }

  private async act(): Promise<void> {
    const { reference, checker, outside } = this.environment;
    const { random, profile } = outside.sim;
    const kind = random.pick(profile.kinds) ?? 'resizeGroup';
    if (kind !== 'cancelOperation') await this.client.command(...drawRequest(kind, reference, random));
    else {
      const [open] = checker.openOperations.keys();
      if (open !== undefined) await this.client.cancel(open);
    }
  }
}

const hasFailed = (wanted: object | undefined): boolean =>
  wanted !== undefined && 'retriesExhausted' in wanted && wanted.retriesExhausted === true;
