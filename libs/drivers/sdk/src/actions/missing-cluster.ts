import type { ClusterResult, ClusterSpec, Driver, DriverContext } from '../driver.js';
import { DriverError } from '../driver-error.js';

/**
 * Runs an operation that needs the unit of a cluster. Where the driver says `notFound`, the unit is created as at first, and the operation runs once
 * more on it: what vanished behind the back of Stave is there again afterwards, or the operation fails with the reason.
 */
export async function withUnitOfCluster(
  { cluster }: Pick<Driver, 'cluster'>,
  ctx: DriverContext,
  spec: ClusterSpec,
  operation: (ctx: DriverContext, spec: ClusterSpec) => Promise<ClusterResult>,
): Promise<ClusterResult> {
  try {
    return await operation(ctx, spec);
  } catch (error) {
    if (!(error instanceof DriverError) || error.failure !== 'notFound') throw error;
    ctx.log.warn({ reason: error.message }, 'the shared infrastructure of the cluster is missing and is created again');
  }
  ctx.progress('create the missing shared infrastructure');
  await cluster.create(ctx, spec);
  return operation(ctx, spec);
}
