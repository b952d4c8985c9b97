import { usageSubject, type CommandResult, type ResourceDocument } from '@stave/contracts';
import { eventually } from '@stave/platform/testing';
import { SchedulerHarness } from '../scheduler.fixture.js';

describe('the utilisation of nodes in placement', () => {
  let harness: SchedulerHarness;
  beforeEach(async () => {
    harness = await SchedulerHarness.open();
    await harness.createProfile({ resources: { cpus: 0.01, memoryMb: 1 } });
  });
  afterEach(() => harness.close());

  async function attach(properties: object): Promise<void> {
    const body = { name: 'use', type: 'placement', properties };
    const { resource } = await harness.first.ask<CommandResult>('policy', 'create', body);
    await harness.first.ask('policy', 'attach', { id: resource.id, target: 'alpha', targetType: 'cluster' });
  }

  /** Publishes a sample of now, in cores of 4 and MB of 8,000. */
  const use = (nodeId: string, cpuCores: number, memoryMb = 0, agoMs = 0): void => {
    const at = new Date(Date.now() - agoMs).toISOString();
    harness.first.messaging.publish(usageSubject, {
      at,
      nodeIds: [nodeId],
      cpuCores: [cpuCores],
      memoryMb: [memoryMb],
    });
  };

  const waits = (id: string, code: string): Promise<ResourceDocument> =>
    eventually(async () => {
      const container = await harness.container(id);
      return JSON.stringify(container['placement']).includes(code) ? container : undefined;
    }, `${id} waits: ${code}`);

  const placed = (id: string): Promise<unknown> =>
    eventually(async () => (await harness.container(id))['nodeId'] ?? undefined, `${id} is placed`);

  it('a node above the limit is refused over the window of the policy, and taken again when it is used less', async () => {
    await attach({ maxCpuUse: 0.5, windowSeconds: 30 });
    const node = await harness.node('n1');
    use(node, 4);
    const { id } = (await harness.createContainer()).resource;
    await waits(id, 'UTILISATION_TOO_HIGH');
    // the mean of the three samples is below the limit
    use(node, 0);
    use(node, 0);
    const next = (await harness.createContainer()).resource;
    expect([await placed(id), await placed(next.id)]).toEqual([node, node]);
  });

  it('a node without recent samples is refused where the policy says so', async () => {
    await attach({ maxMemoryUse: 0.5, whenUnknown: 'refuse' });
    const [known, unknown] = [await harness.node('known'), await harness.node('unknown')];
    use(unknown, 0, 0, 120_000);
    use(known, 0, 4000);
    const { id } = (await harness.createContainer()).resource;
    expect(await placed(id)).toBe(known);
  });

  it('what the engine of a node holds for others is no room for containers, until the engine says that it is free', async () => {
    const node = await harness.node('shared');
    const held = (cpus: number, memoryMb: number): void => {
      const daemons = { cpus: 0, memoryMb: 0 };
      const at = new Date().toISOString();
      const sample = { at, nodeIds: [node], cpuCores: [0], memoryMb: [0], reserved: [{ cpus, memoryMb, daemons }] };
      harness.first.messaging.publish(usageSubject, sample);
    };
    held(1, 7_000);
    const { id } = (await harness.createContainer({ resources: { cpus: 1, memoryMb: 1_200 } })).resource;
    await waits(id, 'INSUFFICIENT_ROOM');
    const { id: small } = (await harness.createContainer({ resources: { cpus: 1, memoryMb: 800 } })).resource;
    expect(await placed(small)).toBe(node);
    held(1, 6_000);
    expect(await placed(id)).toBe(node);
    await harness.completeAll();
    await harness.containerIs(small, 'ACTIVE');
    // a container cannot grow into what the engine holds either
    const patch = { resources: { cpus: 1, memoryMb: 900 } };
    const grown = harness.first.ask('container', 'patch', { id: small, patch });
    await expect(grown).rejects.toMatchObject({ error: { code: 'insufficient-resources' } });
  });

  it('the scorers of use prefer the node that is used least, whatever is reserved there', async () => {
    const weights = { leastCpu: 0, leastMemory: 0, spread: 0, affinity: 0, untainted: 0 };
    await attach({ scorers: { ...weights, leastCpuUse: 1, leastMemoryUse: 1 } });
    const [busy, idle] = [await harness.node('busy'), await harness.node('idle')];
    use(busy, 3, 6000);
    use(idle, 0.5, 1000);
    const made = await Promise.all([1, 2, 3].map(n => harness.createContainer({ name: `c${n}` })));
    for (const { resource } of made) expect(await placed(resource.id)).toBe(idle);
    const { scores } = (await harness.container(made[0]?.resource.id ?? ''))['placement'] as {
      readonly scores: readonly { readonly parts: Readonly<Record<string, number>> }[];
    };
    expect(scores[0]?.parts).toEqual({ leastCpuUse: 0.875, leastMemoryUse: 0.875 });
  });
});
