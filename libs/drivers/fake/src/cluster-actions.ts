import type { ClusterAction, ClusterLifecycle, DriverContext, ResourceRef } from '@stave/driver-sdk';
import { CloudSession, type CloudAccess } from './cloud-session.js';
import { toResult } from './cluster-operations.js';
import { clusterTemplate } from './template-definition.js';

/** Actions on a cluster with all its nodes, each of which stays the unit that it is: a rebuilt node is one that was restarted. */
export function clusterActions(access: CloudAccess): Required<Pick<ClusterLifecycle, ClusterAction>> {
  const restartNodes = async (ctx: DriverContext, ref: Omit<ResourceRef, 'clusterId'>, action: ClusterAction) => {
    const session = new CloudSession(access, ctx, `cluster.${action}`, ref.options);
    await session.existing('cluster', ref);
    const restart = action === 'softReboot' ? 'softReboot' : 'hardReboot';
    for (const { kind, resourceId: id, generation } of await session.list(ref.id))
      if (kind === 'node') await session.act('node', { id, generation }, restart);
    return session;
  };
  const reboot = (action: 'softReboot' | 'hardReboot') => async (ctx: DriverContext, ref: ResourceRef) => {
    const session = await restartNodes(ctx, ref, action);
    await session.act('cluster', ref, action);
  };
  return {
    async rebuild(ctx, spec) {
      const session = await restartNodes(ctx, spec, 'rebuild');
      return toResult(await session.act('cluster', spec, 'update', clusterTemplate(spec)));
    },
    softReboot: reboot('softReboot'),
    hardReboot: reboot('hardReboot'),
  };
}
