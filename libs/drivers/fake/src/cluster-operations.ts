import { createHash } from 'node:crypto';
import type { ClusterLifecycle, ClusterResult, DriverContext, Options } from '@stave/driver-sdk';
import { CloudSession, type CloudAccess } from './cloud-session.js';
import type { FakeUnit } from './cloud/fake-unit.js';
import { clusterTemplate } from './template-definition.js';

/** Operations on clusters. A cluster is one unit; its nodes are separate units. */
export function clusterOperations(access: CloudAccess): ClusterLifecycle {
  const session = (ctx: DriverContext, operation: string, options: Options) =>
    new CloudSession(access, ctx, `cluster.${operation}`, options);
  return {
    async create(ctx, spec) {
      ctx.progress('create cluster');
      access.deadly?.(ctx, 'cluster.create', spec.name);
      const { id, generation, options } = spec;
      const draft = { kind: 'cluster', resourceId: id, clusterId: id, generation } as const;
      return toResult(await session(ctx, 'create', options).ensure({ ...draft, attributes: clusterTemplate(spec) }));
    },
    update: async (ctx, spec) =>
      toResult(await session(ctx, 'update', spec.options).act('cluster', spec, 'update', clusterTemplate(spec))),
    delete: (ctx, ref) => session(ctx, 'delete', ref.options).removeAll('cluster', ref),
    async inspect(ctx, ref) {
      const unit = await session(ctx, 'inspect', ref.options).newest('cluster', ref);
      return unit && toResult(unit);
    },
    async credentials(ctx, ref) {
      const unit = await session(ctx, 'credentials', ref.options).existing('cluster', ref);
      const token = createHash('sha256').update(`${access.installation}\n${unit.infrastructureId}`).digest('hex');
      return { endpoint: endpointOf(unit), token };
    },
  };
}

export function toResult(unit: FakeUnit): ClusterResult {
  return { infrastructureId: unit.infrastructureId, endpoints: [{ name: 'api', url: endpointOf(unit) }] };
}

function endpointOf(unit: FakeUnit): string {
  return `fake://${unit.resourceId}:${String(unit.attributes['port'])}`;
}
