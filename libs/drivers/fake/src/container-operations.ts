import { DriverError } from '@stave/driver-sdk';
import type { ContainerLifecycle, ContainerRef, ContainerSpec, DriverContext, Options } from '@stave/driver-sdk';
import { ensureAttachments, removeLeaving } from './attachment-operations.js';
import { CloudSession, type CloudAccess } from './cloud-session.js';
import type { UnitAction } from './cloud/fake-cloud.port.js';
import type { FakeUnit } from './cloud/fake-unit.js';
import { addressOf } from './node-operations.js';
import { SimulatedLoad } from './cloud/simulated-load.js';
import { followLogs, logsOf } from './unit-logs.js';

/** Operations on containers, which run until they are stopped. Logs and stats depend on the unit only. */
export function containerOperations(access: CloudAccess): ContainerLifecycle {
  const session = (ctx: DriverContext, operation: string, options?: Options) =>
    new CloudSession(access, ctx, `container.${operation}`, options);
  const act = (action: UnitAction) => async (ctx: DriverContext, ref: ContainerRef) =>
    toResult(await session(ctx, action, ref.options).act('container', ref, action));
  const existing = (ctx: DriverContext, ref: ContainerRef, operation: string) =>
    session(ctx, operation, ref.options).existing('container', ref);
  const stop = act('stop');
  return {
    async create(ctx, spec) {
      ctx.progress(spec.options?.['pullMs'] ? `pull image ${spec.image}` : 'create container');
      access.deadly?.(ctx, 'container.create', spec.name);
      await ensureAttachments(access, ctx, spec.attachments);
      return toResult(await session(ctx, 'create', spec.options).ensure(draftOf(spec)));
    },
    async update(ctx, spec) {
      const { resources, restartPolicy } = spec;
      return toResult(
        await session(ctx, 'update', spec.options).act('container', spec, 'update', { resources, restartPolicy }),
      );
    },
    start: act('start'),
    async stop(ctx, ref) {
      await stop(ctx, ref);
    },
    restart: act('restart'),
    async delete(ctx, ref) {
      await session(ctx, 'delete', ref.options).removeAll('container', ref);
      await removeLeaving(access, ctx, ref);
    },
    logs: async (ctx, ref, { tail }) => logsOf(await existing(ctx, ref, 'logs'), tail),
    async follow(ctx, ref, { tail }) {
      const first = await existing(ctx, ref, 'follow');
      const inspect = () => session(ctx, 'follow').newest('container', ref);
      return followLogs(first, { tail, signal: ctx.signal, inspect });
    },
    async stats(ctx, ref) {
      const { infrastructureId, state } = await existing(ctx, ref, 'stats');
      if (state !== 'running')
        throw new DriverError('conflict', `container ${ref.id} is not running`, { code: 'not-running' });
      const { units, now } = await session(ctx, 'stats', ref.options).units(ref.clusterId);
      const load = new SimulatedLoad(units, now);
      const unit = units.find(one => one.infrastructureId === infrastructureId);
      if (!unit || !load.isMonitored(unit)) throw new DriverError('unsupported', 'the node has no monitor');
      return { ...load.usageOf(unit), at: new Date(now).toISOString() };
    },
  };
}

/** The credentials with which the registry of the fake cloud delivers denied images. */
const ACCEPTED_CREDENTIALS = 'puller:let-me-pull';

/** Omits the values of the environment and credentials, which may be secrets, from the journal. */
function draftOf(spec: ContainerSpec) {
  const { id: resourceId, clusterId, generation, nodeId } = spec;
  const { id: _id, clusterId: _cluster, generation: _generation, nodeId: _node, ...own } = spec;
  const { attachments: _made, options: _options, imageCredentials, ...given } = own;
  const mayPullDenied = imageCredentials === ACCEPTED_CREDENTIALS;
  const attributes = { ...given, env: Object.keys(spec.env), ...(mayPullDenied && { mayPullDenied }) };
  return { kind: 'container', resourceId, clusterId, generation, nodeId, attributes } as const;
}

const toResult = ({ infrastructureId, address = addressOf(infrastructureId) }: FakeUnit) => ({
  infrastructureId,
  address,
});
