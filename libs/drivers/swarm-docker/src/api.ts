import type { DriverApi } from '@stave/driver-sdk';
import { swarmOperations } from '@stave/docker';
import type { SwarmManagers } from './swarm-manager.js';

/** The operations of the driver. */
export const swarmApi = (managers: SwarmManagers): DriverApi =>
  swarmOperations((ctx, { cluster }) => managers.require(ctx, cluster.id));
