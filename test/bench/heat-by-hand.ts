import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { aDriverContext } from '@stave/driver-sdk/testing';
import { CloudSession, HeatClient, readCloud, type Stack, type StackReference } from '@stave/openstack';
import { repositoryRoot } from '@stave/testing';
import { parse } from 'yaml';
import { userData } from '../openstack/node-template.js';
import { mustBe } from './bench-report.js';

const ctx = aDriverContext();
const drivers = join(repositoryRoot(), 'libs', 'drivers');
const templateIn = (path: string): Record<string, unknown> =>
  parse(readFileSync(join(drivers, path), 'utf8')) as Record<string, unknown>;

/** Makes the stacks of a cluster of `swarm_fedora` by requests to Heat alone, from the same templates: what OpenStack itself takes. */
export class HeatByHand {
  private readonly heat: HeatClient;
  private readonly tags = { 'stave.bench': randomUUID() };
  private cluster: StackReference | undefined;
  private nodes: readonly StackReference[] = [];

  constructor(env: Readonly<Record<string, string>>) {
    this.heat = new HeatClient(new CloudSession(readCloud(env, () => undefined)));
  }

  /** Creates what the nodes share, then all nodes at once, and returns when they have reported. */
  async create(nodes: number): Promise<void> {
    const { heat, tags } = this;
    const shared = { cluster_name: 'bench', cidr: '10.144.0.0/20', external_network: 'public', sealed: 'none' };
    const template = templateIn('swarm-fedora/templates/cluster.yaml');
    const cluster = await heat.create(ctx, `bench-${randomUUID()}`, { template, tags, parameters: shared });
    this.cluster = cluster;
    await this.complete(1);
    const { outputs = {} } = (await heat.get(ctx, cluster)) ?? {};
    const node = templateIn('heat/templates/node.yaml');
    const common = {
      ...{ network: outputs['network'], subnet: outputs['subnet'], security_group: outputs['security_group'] },
      ...{ image: 'fedora-37', flavor: 'm1.nano', ready_timeout: 600, cpus: 1, memory_mb: 64 },
      user_data: userData('cloud-init'),
    };
    const create = (_: unknown, n: number): Promise<StackReference> => {
      const parameters = { ...common, name: `hand-${n}`, address: n === 0 ? '10.144.0.10' : '' };
      return heat.create(ctx, `bench-${randomUUID()}`, { template: node, tags, parameters });
    };
    this.nodes = await Promise.all(Array.from({ length: nodes }, create));
    await this.complete(nodes + 1);
  }

  /** Deletes all nodes at once, then what they shared, and returns when all is gone. */
  async remove(): Promise<void> {
    for (const group of [this.nodes, this.cluster ? [this.cluster] : []]) {
      await Promise.all(group.map(stack => this.heat.delete(ctx, stack)));
      await this.until(left => left.every(({ id }) => !group.some(stack => stack.id === id)));
    }
  }

  private complete(count: number): Promise<void> {
    return this.until(stacks => {
      const failed = stacks.find(({ progress }) => progress === 'FAILED');
      mustBe(failed === undefined, `a stack failed: ${failed?.reason ?? ''}`);
      return stacks.filter(({ progress }) => progress === 'COMPLETE').length === count;
    });
  }

  private async until(holds: (stacks: readonly Stack[]) => boolean): Promise<void> {
    while (!holds(await this.heat.list(ctx, this.tags))) await delay(500);
  }
}
