import type { DriverContext, Unit } from '@stave/driver-sdk';
import type { Stack } from '@stave/openstack';
import type { Cloud } from '../cloud/cloud.js';
import { keyOf, stateOf } from '../stacks/unit-tags.js';
import type { HeatAccess } from './heat-access.js';
import { serverKey, serversIn } from './servers.js';

/** The units on the infrastructure: one list of stacks and one of servers for each cloud, because Heat does not notice when a server vanishes. */
export class HeatInventory {
  constructor(private readonly access: HeatAccess) {}

  async list(ctx: DriverContext, clusterId?: string): Promise<readonly Unit[]> {
    const all = await Promise.all(this.access.clouds.all().map(cloud => this.unitsIn(cloud, ctx, clusterId)));
    return all.flat();
  }

  /** Removes the stack of a unit; succeeds when there is none. */
  async remove(ctx: DriverContext, unit: Unit): Promise<void> {
    const { clouds, stacks } = this.access;
    for (const cloud of clouds.all()) {
      const found = (await stacks.list(cloud, ctx, unit.clusterId)).find(({ id }) => id === unit.infrastructureId);
      if (found) await stacks.remove(cloud, ctx, found);
    }
  }

  private async unitsIn(cloud: Cloud, ctx: DriverContext, clusterId: string | undefined): Promise<Unit[]> {
    const { stacks } = this.access;
    const found = await stacks.list(cloud, ctx, clusterId);
    const hasNodes = found.some(({ tags }) => tags['stave.unit'] === 'node');
    const servers = hasNodes ? await serversIn(cloud, ctx, stacks.tags.serverTag) : new Map<string, string>();
    return found.flatMap(stack => unitOf(stack, servers));
  }
}

function unitOf(stack: Stack, servers: ReadonlyMap<string, string>): Unit[] {
  const key = keyOf(stack);
  if (!key) return [];
  const { kind, id, clusterId, generation } = key;
  const state = stateOf(stack);
  const isNode = kind === 'node' && state === 'running';
  const running = isNode ? stateOfServer(servers.get(serverKey(id, generation))) : state;
  return [{ infrastructureId: stack.id, kind, resourceId: id, clusterId, generation, state: running }];
}

const stopped = new Set(['SHUTOFF', 'SUSPENDED', 'PAUSED', 'SHELVED', 'SHELVED_OFFLOADED']);

function stateOfServer(status: string | undefined): Unit['state'] {
  if (status === undefined || status === 'ERROR' || status === 'DELETED') return 'failed';
  return stopped.has(status) ? 'stopped' : 'running';
}
