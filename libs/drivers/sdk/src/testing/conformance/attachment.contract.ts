import type { ContainerSpec, LeavingAttachment, NetworkSpec, NodeSpec, VolumeSpec } from '../../driver.js';
import { referenceTo } from '../spec-builders.js';
import type { RegisterCheck } from './conformance-score.js';
import type { TestBed } from './test-bed.js';

type Kind = LeavingAttachment['kind'];
type Spec = NetworkSpec | VolumeSpec;

/** Registers the checks that hold for networks and volumes only. */
export function attachmentChecks(kind: Kind, bed: () => TestBed, check: RegisterCheck): void {
  check('appears with its first container, and leaves with the last one', async () => {
    const spec = bed()[kind]();
    const isOnNode = spec.scope === 'node';
    if (!isOnNode) await create(bed(), spec);
    const [first, second] = [using(bed().container(), spec), using(bed().container(), spec)];
    await bed().containers.create(bed().context(), first);
    const made = await bed().units(kind, spec.id);
    expect(made).toEqual([expect.objectContaining({ generation: 1, ...(isOnNode && { nodeId: spec.nodeId }) })]);
    await bed().containers.create(bed().context(), second);
    expect(await bed().units(kind, spec.id)).toEqual(made);
    const leaving = isOnNode ? [{ kind, id: spec.id, generation: 1 }] : [];
    await bed().containers.delete(bed().context(), { ...referenceTo(first), leaving });
    expect(await bed().units(kind, spec.id)).toEqual(made);
    for (let twice = 0; twice < 2; twice += 1)
      await bed().containers.delete(bed().context(), { ...referenceTo(second), leaving });
    if (!isOnNode) await remove(bed(), spec);
    expect(await bed().units(kind, spec.id)).toEqual([]);
  });

  check('is not deleted while a container uses it', async () => {
    const spec = bed()[kind]();
    await create(bed(), spec);
    const container = using(bed().container(), spec);
    await bed().containers.create(bed().context(), container);
    await expect(remove(bed(), spec)).rejects.toMatchObject({ failure: 'conflict' });
    expect(await bed().units(kind, spec.id)).toHaveLength(1);
    await bed().containers.delete(bed().context(), referenceTo(container));
    await remove(bed(), spec);
    expect(await bed().units(kind, spec.id)).toEqual([]);
  });

  check('of node scope exists on each node, and leaves with its node', async () => {
    const spec = bed()[kind]();
    if (spec.scope !== 'node') return;
    const node: NodeSpec = bed().worker();
    await bed().driver.node.create(bed().context(), node);
    const there = { ...spec, nodeId: node.id };
    await create(bed(), spec);
    await create(bed(), there);
    expect((await bed().units(kind, spec.id)).map(unit => unit.nodeId).sort()).toEqual([spec.nodeId, node.id].sort());
    await bed().driver.node.delete(bed().context(), referenceTo(node));
    expect((await bed().units(kind, spec.id)).map(unit => unit.nodeId)).toEqual([spec.nodeId]);
    await remove(bed(), spec);
    expect(await bed().units(kind, spec.id)).toEqual([]);
  });

  check('is refused where its driver does not exist', async () => {
    const spec = { ...bed()[kind](), driver: 'conformance-no-such-driver' };
    await expect(create(bed(), spec)).rejects.toMatchObject({ code: 'plugin-missing', plugin: spec.driver });
    expect(await bed().units(kind, spec.id)).toEqual([]);
  });
}

function create(bed: TestBed, spec: Spec): Promise<unknown> {
  return 'accessMode' in spec ? bed.volumes.create(bed.context(), spec) : bed.networks.create(bed.context(), spec);
}

function remove(bed: TestBed, spec: Spec): Promise<void> {
  return 'accessMode' in spec
    ? bed.volumes.delete(bed.context(), referenceTo(spec))
    : bed.networks.delete(bed.context(), referenceTo(spec));
}

/** Returns the container with the network or volume, which it brings along where that is of node scope. */
function using(container: ContainerSpec, spec: Spec): ContainerSpec {
  const { id, name, driver, scope } = spec;
  const isOnNode = scope === 'node';
  if ('accessMode' in spec) {
    const volumes = [{ name, driver, mountPath: '/conformance', volumeId: id }];
    return { ...container, volumes, ...(isOnNode && { attachments: { networks: [], volumes: [spec] } }) };
  }
  const network = { name, driver, networkId: id };
  return { ...container, network, ...(isOnNode && { attachments: { networks: [spec], volumes: [] } }) };
}
