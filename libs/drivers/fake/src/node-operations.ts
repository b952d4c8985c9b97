import {
  DriverError,
  type DriverContext,
  type NodeLifecycle,
  type NodeResult,
  type NodeSpec,
  type Options,
  type ResourceRef,
} from '@stave/driver-sdk';
import { CloudSession, type CloudAccess } from './cloud-session.js';
import type { UnitAction } from './cloud/fake-cloud.port.js';
import type { FakeUnit } from './cloud/fake-unit.js';
import { fakeEngine, type FakeEngine } from './fake-engine.js';
import { nodeTemplate, optionsOf, ownOptionsOf } from './template-definition.js';

/** Operations on nodes. A node is one unit; its removal removes its containers. Options of a node group override those of the cluster. */
export function nodeOperations(access: CloudAccess): NodeLifecycle {
  const session = (ctx: DriverContext, operation: string, options: Options) =>
    new CloudSession(access, ctx, `node.${operation}`, options);
  const build = (operation: string) => async (ctx: DriverContext, spec: NodeSpec) => {
    ctx.progress('build node');
    access.deadly?.(ctx, `node.${operation}`, spec.name);
    const engine = spec.machine && fakeEngine(spec.machine.engine);
    if (engine?.isFull)
      throw new DriverError('capacity', `the engine ${engine.name} has no room`, { code: 'no-valid-host' });
    return toResult(await session(ctx, operation, optionsOf(spec)).ensure(draftOf(spec, engine)));
  };
  const act = (action: UnitAction) => async (ctx: DriverContext, ref: ResourceRef) => {
    await session(ctx, action, ref.options).act('node', ref, action);
  };
  return {
    create: build('create'),
    rebuild: build('rebuild'),
    async update(ctx, spec) {
      const { labels, taints } = spec;
      const options = optionsOf(spec);
      const changed = { labels, taints, options, groupOptions: ownOptionsOf(spec) };
      return toResult(await session(ctx, 'update', options).act('node', spec, 'update', changed));
    },
    softReboot: act('softReboot'),
    hardReboot: act('hardReboot'),
    drain: act('drain'),
    undrain: act('undrain'),
    delete: (ctx, ref) => session(ctx, 'delete', ref.options).removeAll('node', ref),
    async inspect(ctx, ref) {
      const unit = await session(ctx, 'inspect', ref.options).newest('node', ref);
      return unit && toResult(unit);
    },
    expectedCapacity: (_ctx, { flavor: { cpus, memoryMb } }) => Promise.resolve({ cpus, memoryMb }),
  };
}

function draftOf(spec: NodeSpec, engine?: FakeEngine) {
  const { id: resourceId, generation, zone } = spec;
  // a node on a machine is as large as the machine
  const attributes = nodeTemplate(spec, engine && { flavor: engine.capacity, lostAfterMs: engine.lostAfterMs });
  return {
    kind: 'node',
    resourceId,
    clusterId: spec.cluster.id,
    generation,
    zone,
    attributes,
    engine: engine?.name,
  } as const;
}

function toResult({ infrastructureId, attributes: { flavor } }: FakeUnit): NodeResult {
  const size = typeof flavor === 'object' && flavor !== null ? flavor : {};
  return {
    infrastructureId,
    addresses: [addressOf(infrastructureId)],
    engineVersion: 'fake-1',
    capacity: {
      cpus: 'cpus' in size && typeof size.cpus === 'number' ? size.cpus : 0,
      memoryMb: 'memoryMb' in size && typeof size.memoryMb === 'number' ? size.memoryMb : 0,
    },
  };
}

/** Returns an address in 10.0.0.0/8, which is unique among 16 million successive units. */
export function addressOf(infrastructureId: string): string {
  const n = Number(infrastructureId.slice('fc-'.length));
  return `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
}
