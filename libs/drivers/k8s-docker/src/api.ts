import type { DriverApi } from '@stave/driver-sdk';
import { kubernetesOperations, memberUser } from '@stave/kubernetes';
import type { ControlPlanes } from './control-planes.js';

/** The operations of the driver. Server-side apply has the rights of members, or all rights where the operator says so. */
export function operationsOf(controlPlanes: ControlPlanes, tenantAdmin: boolean): DriverApi {
  return kubernetesOperations(async (ctx, { cluster }, use) => {
    const { api } = await controlPlanes.require(ctx, cluster.id);
    return use === 'change' && tenantAdmin ? api : api.actingAs(memberUser);
  });
}
