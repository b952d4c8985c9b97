import { aNetworkSpec, aVolumeSpec, referenceTo } from '@stave/driver-sdk/testing';
import type { ContainerSpec, NetworkSpec, Unit, VolumeSpec } from '@stave/driver-sdk';
import { pollUntil } from '@stave/docker';
import {
  clusterSpec,
  containerSpec,
  describeOnEngine,
  managerSpec,
  nodeSpec,
  ref,
} from './testing/real-engine.fixture.js';

const clusterId = 'cluster-1';

describeOnEngine('Networks and volumes on a real engine', engine => {
  let made = 0;
  const id = (kind: string): string => `${kind}-${(made += 1)}`;

  beforeAll(async () => {
    const { driver, ctx } = engine();
    await driver.cluster.create(ctx, clusterSpec());
    for (const spec of [managerSpec('m1'), nodeSpec('w1')]) await driver.node.create(ctx, spec);
  });

  const network = (more: Partial<NetworkSpec> = {}): NetworkSpec =>
    aNetworkSpec({ clusterId, id: id('network'), ...more });
  const volume = (more: Partial<VolumeSpec> = {}): VolumeSpec =>
    aVolumeSpec({ clusterId, id: id('volume'), scope: 'node', ...more });
  const joined = ({ name, driver, id: networkId }: NetworkSpec, ipv4?: string): Partial<ContainerSpec> => ({
    network: { name, driver, networkId, ...(ipv4 !== undefined && { ipv4 }) },
  });
  const create = async (nodeId: string, more: Partial<ContainerSpec>): Promise<ContainerSpec> => {
    const spec = containerSpec(id('c'), nodeId, more);
    await engine().driver.containers?.create(engine().ctx, spec);
    return spec;
  };
  const remove = ({ id: own, nodeId }: ContainerSpec, leaving: ContainerSpec['attachments'] = undefined) =>
    engine().driver.containers?.delete(engine().ctx, {
      ...{ ...ref(own), nodeId, stopGraceSeconds: 1 },
      leaving: [
        ...(leaving?.networks ?? []).map(
          ({ id: net, generation }) => ({ kind: 'network', id: net, generation }) as const,
        ),
        ...(leaving?.volumes ?? []).map(
          ({ id: vol, generation }) => ({ kind: 'volume', id: vol, generation }) as const,
        ),
      ],
    });
  const unitsOf = async (resourceId: string): Promise<readonly Unit[]> =>
    (await engine().driver.list(engine().ctx)).filter(unit => unit.resourceId === resourceId);
  const logOf = ({ id: own, nodeId }: ContainerSpec, until = /./): Promise<string> =>
    pollUntil(engine().ctx, { what: `a log of ${own}`, withinMs: 60_000 }, async () => {
      const text = await engine().driver.containers?.logs(engine().ctx, { ...ref(own), nodeId }, { tail: 100 });
      return text !== undefined && until.test(text) ? text : undefined;
    });

  it('containers on two nodes reach each other by name in an overlay, with the address that was asked for', async () => {
    const { driver, ctx } = engine();
    const overlay = network({ subnet: '10.77.1.0/24', gateway: '10.77.1.1' });
    await driver.networks?.create(ctx, overlay);
    const server = await create('w1', joined(overlay, '10.77.1.9'));
    const ask = `until ping -c 1 -w 5 ${server.name}; do sleep 0.2; done`;
    const client = await create('m1', { ...joined(overlay), command: ['sh', '-c', ask] });
    expect(await logOf(client, /bytes from/)).toMatch(/64 bytes from 10\.77\.1\.9/);
    const inspected = await driver.containers?.start(ctx, { ...ref(server.id), nodeId: 'w1' });
    expect(inspected?.address).toBe('10.77.1.9');
    expect(await unitsOf(overlay.id)).toMatchObject([{ kind: 'network', clusterId, generation: 1, state: 'running' }]);
    await expect(driver.networks?.delete(ctx, referenceTo(overlay))).rejects.toMatchObject({ failure: 'conflict' });
    for (const spec of [client, server]) await remove(spec);
    await driver.networks?.delete(ctx, referenceTo(overlay));
    expect(await unitsOf(overlay.id)).toEqual([]);
  });

  it('an overlay may have the first subnet that services choose by default', async () => {
    const { driver, ctx } = engine();
    const overlay = network({ subnet: '10.64.0.0/24' });
    await driver.networks?.create(ctx, overlay);
    await remove(await create('w1', joined(overlay)));
    await driver.networks?.delete(ctx, referenceTo(overlay));
  });

  it('a bridge appears on the node of its first container, and leaves with the last one, also a stopped one', async () => {
    const { driver, ctx } = engine();
    const on = (nodeId: string): NetworkSpec => ({ ...bridge, nodeId });
    const bridge = network({ scope: 'node', driver: 'bridge', subnet: '10.78.0.0/24' });
    const attachments = (nodeId: string) => ({ networks: [on(nodeId)], volumes: [] });
    const at = (nodeId: string) => create(nodeId, { ...joined(bridge), attachments: attachments(nodeId) });
    const [first, second, other] = [await at('m1'), await at('m1'), await at('w1')];
    expect((await unitsOf(bridge.id)).map(({ nodeId }) => nodeId).sort()).toEqual(['m1', 'w1']);
    await driver.containers?.stop(ctx, { ...ref(second.id), nodeId: 'm1' });
    await remove(first, attachments('m1'));
    expect((await unitsOf(bridge.id)).map(({ nodeId }) => nodeId).sort()).toEqual(['m1', 'w1']);
    await driver.containers?.start(ctx, { ...ref(second.id), nodeId: 'm1' });
    await remove(second, attachments('m1'));
    expect((await unitsOf(bridge.id)).map(({ nodeId }) => nodeId)).toEqual(['w1']);
    await remove(other, attachments('w1'));
    expect(await unitsOf(bridge.id)).toEqual([]);
  });

  it('containers of a node share a volume, which outlives them and is deleted with its data', async () => {
    const { driver, ctx } = engine();
    const data = { ...volume(), nodeId: 'w1' };
    const attachments = { networks: [], volumes: [data] };
    const volumes = [{ name: data.name, mountPath: '/x', volumeId: data.id }];
    const writer = await create('w1', { volumes, attachments, command: ['sh', '-c', 'echo kept >/x/f; sleep 1000'] });
    const read = ['sh', '-c', 'until cat /x/f; do sleep 0.1; done'];
    const reader = await create('w1', { volumes, attachments, command: read });
    expect(await logOf(reader)).toBe('kept\n');
    for (const spec of [writer, reader]) await remove(spec);
    const later = await create('w1', { volumes, attachments, command: read });
    expect(await logOf(later)).toBe('kept\n');
    expect(await unitsOf(data.id)).toMatchObject([{ kind: 'volume', nodeId: 'w1', generation: 1 }]);
    await expect(driver.volumes?.delete(ctx, referenceTo(data))).rejects.toMatchObject({ failure: 'conflict' });
    await remove(later, attachments);
    expect(await unitsOf(data.id)).toEqual([]);
  });

  it('a published port answers on the address of the node, and only one container of a node has it', async () => {
    const { driver, ctx } = engine();
    const served = 'mkdir /w; echo served >/w/index.html; httpd -f -p 80 -h /w';
    const ports = [{ containerPort: 80, hostPort: 30_080 }];
    const server = await create('w1', { ports, command: ['sh', '-c', served] });
    const node = await driver.node.inspect(ctx, ref('w1'));
    const answer = await pollUntil(ctx, { what: 'an answer', withinMs: 30_000 }, () =>
      fetch(`http://${node?.addresses[0]}:30080/index.html`).then(
        response => response.text(),
        () => undefined,
      ),
    );
    expect(answer).toBe('served\n');
    await expect(create('w1', { ports })).rejects.toMatchObject({ failure: 'capacity' });
    for (const { resourceId } of (await driver.list(ctx)).filter(({ kind }) => kind === 'container'))
      await driver.containers?.delete(ctx, { ...ref(resourceId), nodeId: server.nodeId, stopGraceSeconds: 0 });
  });

  it('a network or volume that does not exist, or goes beyond what the operator allows, is refused', async () => {
    const { driver, ctx } = engine();
    await expect(create('w1', joined(network()))).rejects.toMatchObject({ failure: 'conflict' });
    const bound = { ...volume({ driverOptions: { type: 'none', o: 'bind', device: '/' } }), nodeId: 'w1' };
    await expect(driver.volumes?.create(ctx, bound)).rejects.toMatchObject({ code: 'option-not-allowed' });
    const vlan = network({ driver: 'macvlan', scope: 'node', nodeId: 'w1' });
    await expect(driver.networks?.create(ctx, vlan)).rejects.toMatchObject({ code: 'plugin-missing' });
    for (const { id: own } of [bound, vlan]) expect(await unitsOf(own)).toEqual([]);
  });
});
