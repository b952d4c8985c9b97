import {
  DriverError,
  type DriverContext,
  type LeavingAttachment,
  type NetworkRef,
  type NetworkSpec,
  type NodeAttachments,
  type UnitResult,
  type VolumeSpec,
} from '@stave/driver-sdk';
import { CloudSession, type CloudAccess } from './cloud-session.js';

type Kind = LeavingAttachment['kind'];

interface AttachmentOperations {
  create(ctx: DriverContext, spec: NetworkSpec | VolumeSpec): Promise<UnitResult>;
  delete(ctx: DriverContext, ref: NetworkRef): Promise<void>;
}

/** Operations on networks or volumes. One of node scope has a unit on each node that needs it. */
export function attachmentOperations(access: CloudAccess, kind: Kind): AttachmentOperations {
  return {
    async create(ctx, spec) {
      ctx.progress(`create ${kind}`);
      access.deadly?.(ctx, `${kind}.create`, spec.name);
      const { infrastructureId } = await new CloudSession(access, ctx, `${kind}.create`, spec.options).ensure(
        draftOf(kind, spec),
      );
      return { infrastructureId };
    },
    delete: (ctx, ref) => new CloudSession(access, ctx, `${kind}.delete`, ref.options).removeAll(kind, ref),
  };
}

/** Creates what the node of a container lacks. */
export async function ensureAttachments(
  access: CloudAccess,
  ctx: DriverContext,
  { networks, volumes }: NodeAttachments = { networks: [], volumes: [] },
): Promise<void> {
  for (const spec of networks) await attachmentOperations(access, 'network').create(ctx, spec);
  for (const spec of volumes) await attachmentOperations(access, 'volume').create(ctx, spec);
}

/** Removes from a node what its last container leaves. What another container uses by now stays. */
export async function removeLeaving(
  access: CloudAccess,
  ctx: DriverContext,
  ref: NetworkRef & { readonly leaving?: readonly LeavingAttachment[] },
): Promise<void> {
  const { clusterId, nodeId, options, leaving = [] } = ref;
  for (const { kind, id, generation } of leaving) {
    const unit = { id, generation, clusterId, options, ...(nodeId !== undefined && { nodeId }) };
    try {
      await attachmentOperations(access, kind).delete(ctx, unit);
    } catch (error) {
      if (!(error instanceof DriverError) || error.failure !== 'conflict') throw error;
    }
  }
}

function draftOf(kind: Kind, { id: resourceId, clusterId, generation, nodeId, ...given }: NetworkSpec | VolumeSpec) {
  const { options: _options, scope: _scope, ...attributes } = given;
  const place = nodeId === undefined ? {} : { nodeId };
  return { kind, resourceId, clusterId, generation, attributes, ...place } as const;
}
