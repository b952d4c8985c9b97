import { createHash } from 'node:crypto';
import type { ClusterLifecycle, ClusterResult, ClusterSpec, DriverContext, ResourceRef } from '@stave/driver-sdk';
import { DriverError } from '@stave/driver-sdk';
import { CloudSession, type CloudAccess, type UnitSelector } from './cloud-session.js';
import type { FakeUnit } from './cloud/fake-unit.js';

/** Operations on clusters. A cluster is one unit; its nodes are separate units. */
export function clusterOperations(access: CloudAccess): ClusterLifecycle {
  const session = (ctx: DriverContext, operation: string, options: ResourceRef['options']) =>
    new CloudSession(access, ctx, `cluster.${operation}`, options);
  return {
    async create(ctx, spec) {
      ctx.progress('create cluster');
      const draft = { kind: 'cluster', resourceId: spec.id, clusterId: spec.id, generation: spec.generation } as const;
      return toResult(await session(ctx, 'create', spec.options).ensure({ ...draft, attributes: attributesOf(spec) }));
    },
    async update(ctx, spec) {
      ctx.progress('update cluster');
      return toResult(await session(ctx, 'update', spec.options).act(selectorOf(spec), 'update', attributesOf(spec)));
    },
    async delete(ctx, ref) {
      ctx.progress('remove cluster');
      await session(ctx, 'delete', ref.options).removeAll(selectorOf(ref));
    },
    async inspect(ctx, ref) {
      const unit = await session(ctx, 'inspect', ref.options).newest(selectorOf(ref));
      return unit && toResult(unit);
    },
    async credentials(ctx, ref) {
      const unit = await session(ctx, 'credentials', ref.options).newest(selectorOf(ref));
      if (!unit) throw new DriverError('notFound', `cluster ${ref.id} has no unit`);
      const token = createHash('sha256').update(`${access.installation}\n${unit.infrastructureId}`).digest('hex');
      return { endpoint: endpointOf(unit), token };
    },
  };
}

function selectorOf(of: Pick<ResourceRef, 'id' | 'generation'>): UnitSelector {
  return { kind: 'cluster', id: of.id, generation: of.generation };
}

function attributesOf(spec: ClusterSpec): FakeUnit['attributes'] {
  return { name: spec.name, labels: spec.labels, network: spec.network, port: spec.api.port ?? 2375 };
}

function toResult(unit: FakeUnit): ClusterResult {
  return { infrastructureId: unit.infrastructureId, endpoints: [{ name: 'api', url: endpointOf(unit) }] };
}

function endpointOf(unit: FakeUnit): string {
  return `fake://${unit.resourceId}:${String(unit.attributes['port'])}`;
}
