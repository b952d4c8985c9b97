import type { CommandResult, ResourceDocument } from '@stave/contracts';
import { eventually } from '@stave/platform/testing';
import { World } from './scheduler.fixture.js';

export interface Scenario {
  readonly world: World;
  readonly clusterId: string;
  readonly groupId: string;
  /** Makes the profile `nginx` for cluster `alpha`: 1 CPU, 500 MB. */
  profile(body?: object): Promise<CommandResult>;
  create(body?: object, meta?: object): Promise<CommandResult>;
  shown(id: string): Promise<ResourceDocument>;
  reaches(id: string, status: string): Promise<ResourceDocument>;
  /** Data of every NodeEvictionCompleted so far. */
  evictions(): Promise<unknown[]>;
}

type Answered<D> = D & Record<string, never>;

/** A fresh scheduler for each test of the suite, with a conductor and the cluster `alpha` that has a group and no node. */
export function scenario(): Scenario {
  let world: World | undefined;
  let clusterId = '';
  let groupId = '';
  const now = (): World => {
    if (!world) throw new Error('only within a test');
    return world;
  };
  beforeEach(async () => {
    world = await World.start();
    await world.conductor();
    clusterId = await world.cluster();
    groupId = await world.group(clusterId);
  });
  afterEach(() => now().close());

  const shown = (id: string): Promise<ResourceDocument> =>
    now().ask<Answered<ResourceDocument>>('container', 'get', { id });
  return {
    get world() {
      return now();
    },
    get clusterId() {
      return clusterId;
    },
    get groupId() {
      return groupId;
    },
    profile: (body = {}) =>
      now().ask<Answered<CommandResult>>('container-profile', 'create', {
        name: 'nginx',
        image: 'nginx:1',
        resources: { cpus: 1, memoryMb: 500 },
        hostCluster: 'alpha',
        ...body,
      }),
    create: (body = {}, meta = {}) =>
      now().ask<Answered<CommandResult>>('container', 'create', { profile: 'nginx', ...body }, meta),
    shown,
    reaches: (id, status) =>
      eventually(async () => {
        const document = await shown(id);
        return document['status'] === status ? document : undefined;
      }, `${id} is ${status}`),
    evictions: async () => (await now().events(`placement-${clusterId}`, 'NodeEvictionCompleted')).map(e => e.data),
  };
}
