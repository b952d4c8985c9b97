import { DriverError } from '@stave/driver-sdk';
import type {
  ContainerLifecycle,
  ContainerRef,
  ContainerResult,
  ContainerSpec,
  DriverContext,
  Options,
} from '@stave/driver-sdk';
import { CloudSession, type CloudAccess, type UnitSelector } from './cloud-session.js';
import type { UnitAction } from './cloud/fake-cloud.port.js';
import type { FakeUnit } from './cloud/fake-unit.js';
import { followLogs, logsOf } from './unit-logs.js';
import { addressOf } from './node-operations.js';
import { containerUsage } from './node-usage.js';

/** Operations on containers, which run until they are stopped. Logs and stats depend on the unit only. */
export function containerOperations(access: CloudAccess): ContainerLifecycle {
  const session = (ctx: DriverContext, operation: string, options: Options) =>
    new CloudSession(access, ctx, `container.${operation}`, options);
  const act = async (ctx: DriverContext, ref: ContainerRef, action: UnitAction) => {
    ctx.progress(`${action} container`);
    return toResult(await session(ctx, action, ref.options).act(selectorOf(ref), action));
  };
  const existing = async (ctx: DriverContext, ref: ContainerRef, operation: string) => {
    const unit = await session(ctx, operation, ref.options).newest(selectorOf(ref));
    if (!unit) throw new DriverError('notFound', `container ${ref.id} has no unit`);
    return unit;
  };
  return {
    async create(ctx, spec) {
      ctx.progress('create container');
      return toResult(await session(ctx, 'create', {}).ensure(draftOf(spec)));
    },
    async update(ctx, spec) {
      const { resources, restartPolicy } = spec;
      ctx.progress('update container');
      return toResult(await session(ctx, 'update', {}).act(selectorOf(spec), 'update', { resources, restartPolicy }));
    },
    start: (ctx, ref) => act(ctx, ref, 'start'),
    async stop(ctx, ref) {
      await act(ctx, ref, 'stop');
    },
    restart: (ctx, ref) => act(ctx, ref, 'restart'),
    async delete(ctx, ref) {
      ctx.progress('remove container');
      await session(ctx, 'delete', ref.options).removeAll(selectorOf(ref));
    },
    async logs(ctx, ref, { tail }) {
      return logsOf(await existing(ctx, ref, 'logs'), tail);
    },
    async follow(ctx, ref, { tail }) {
      const first = await existing(ctx, ref, 'follow');
      return followLogs(first, {
        tail,
        signal: ctx.signal,
        inspect: () => session(ctx, 'follow', {}).newest(selectorOf(ref)),
      });
    },
    async stats(ctx, ref) {
      const unit = await existing(ctx, ref, 'stats');
      if (unit.state !== 'running')
        throw new DriverError('conflict', `container ${ref.id} is not running`, { code: 'not-running' });
      return { ...containerUsage(unit.infrastructureId), at: unit.createdAt };
    },
  };
}

function selectorOf(of: Pick<ContainerRef, 'id' | 'generation'>): UnitSelector {
  return { kind: 'container', id: of.id, generation: of.generation };
}

/** Omits the values of the environment, which may be secrets, from the journal. */
function draftOf(spec: ContainerSpec) {
  const { name, image, command, args, resources, labels, ports, restartPolicy } = spec;
  return {
    kind: 'container',
    resourceId: spec.id,
    clusterId: spec.clusterId,
    generation: spec.generation,
    nodeId: spec.nodeId,
    attributes: { name, image, command, args, resources, labels, ports, restartPolicy, env: Object.keys(spec.env) },
  } as const;
}

function toResult(unit: FakeUnit): ContainerResult {
  return { infrastructureId: unit.infrastructureId, address: addressOf(unit.infrastructureId) };
}
