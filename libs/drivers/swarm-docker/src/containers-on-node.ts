import { DriverError, type DriverContext, type Unit } from '@stave/driver-sdk';
import { EngineClient, withLabels } from './engine-client.js';
import { undefinedOn } from './engine-error.js';
import type { ContainerDetails, ContainerSummary } from './engine-types.js';
import { exitCodeOf, type NodeContainer } from './inventory.js';
import { generationOf, label } from './labels.js';
import { stateOf } from './unit-state.js';

const queryTimeoutMs = 3_000;

/** Matches containers that exited or started less than two minutes ago: only their number of restarts may have changed recently. */
const recentlyChanged = /^(Exited|Restarting|Dead|Up (Less than|About a minute|\d+ seconds?))/;

/** Returns the installation's containers on a node; undefined, with a warning, when the engine of the node does not answer. */
export async function containersOnNode(
  ctx: DriverContext,
  node: NodeContainer,
  installation: string,
): Promise<readonly Unit[] | undefined> {
  const query = { all: true, ...withLabels({ [label.installation]: installation, [label.unit]: 'container' }) };
  const engine = new EngineClient(node.socket);
  try {
    const found = await engine.read<ContainerSummary[]>(ctx, '/containers/json', { query, timeoutMs: queryTimeoutMs });
    return await Promise.all(found.map(container => containerUnit(ctx, engine, container)));
  } catch (error) {
    if (ctx.signal.aborted || !(error instanceof DriverError)) throw error;
    ctx.log.warn(
      { nodeId: node.nodeId, reason: error.message },
      'the containers of a node are not listed, because its engine does not answer',
    );
    return undefined;
  }
}

/** Inspects a container where necessary, because the engine's list omits the number of restarts. */
async function containerUnit(ctx: DriverContext, engine: EngineClient, container: ContainerSummary): Promise<Unit> {
  const path = `/containers/${container.Id}/json`;
  const details = recentlyChanged.test(container.Status)
    ? await undefinedOn([404], engine.read<ContainerDetails>(ctx, path, { timeoutMs: queryTimeoutMs }))
    : undefined;
  const exitCode = exitCodeOf(container);
  return {
    infrastructureId: container.Id,
    kind: 'container',
    resourceId: container.Labels[label.container] ?? '',
    clusterId: container.Labels[label.cluster] ?? '',
    generation: generationOf(container.Labels),
    // the engine restarts the container by its restart policy
    state: container.State === 'restarting' ? 'running' : stateOf(container.State),
    ...(exitCode !== undefined && { exitCode }),
    ...(details && { restarts: details.RestartCount }),
  };
}
