import { DriverError, type DriverContext, type Unit } from '@stave/driver-sdk';
import { EngineClient, withLabels } from './engine-client.js';
import { unless } from './engine-error.js';
import type { ContainerDetails, ContainerSummary } from './engine-types.js';
import { exitCodeOf, type NodeContainer } from './inventory.js';
import { generationOf, label } from './labels.js';
import { stateOf } from './unit-state.js';

const askTimeoutMs = 3_000;

/** Ended, or started less than two minutes ago: only of these the number of restarts may have changed since the last list. */
const unsettled = /^(Exited|Restarting|Dead|Up (Less than|About a minute|\d+ seconds?))/;

/** The installation's containers on a node; undefined, with a warning, when its engine does not answer. */
export async function contentsOf(
  ctx: DriverContext,
  node: NodeContainer,
  installation: string,
): Promise<readonly Unit[] | undefined> {
  const query = { all: true, ...withLabels({ [label.installation]: installation, [label.unit]: 'container' }) };
  const engine = new EngineClient(node.socket);
  try {
    const found = await engine.read<ContainerSummary[]>(ctx, '/containers/json', { query, timeoutMs: askTimeoutMs });
    return await Promise.all(found.map(container => containerUnit(ctx, engine, container)));
  } catch (error) {
    if (ctx.signal.aborted || !(error instanceof DriverError)) throw error;
    ctx.log.warn({ nodeId: node.nodeId, reason: error.message }, 'containers of a node are not listed');
    return undefined;
  }
}

/** A list does not show how often the engine restarted a container. */
async function containerUnit(ctx: DriverContext, engine: EngineClient, container: ContainerSummary): Promise<Unit> {
  const path = `/containers/${container.Id}/json`;
  const details = unsettled.test(container.Status)
    ? await unless([404], engine.read<ContainerDetails>(ctx, path, { timeoutMs: askTimeoutMs }))
    : undefined;
  const exitCode = exitCodeOf(container);
  return {
    infrastructureId: container.Id,
    kind: 'container',
    resourceId: container.Labels[label.container] ?? '',
    clusterId: container.Labels[label.cluster] ?? '',
    generation: generationOf(container.Labels),
    // the engine starts it again: that is what its restart policy asks for
    state: container.State === 'restarting' ? 'running' : stateOf(container.State),
    ...(exitCode !== undefined && { exitCode }),
    ...(details && { restarts: details.RestartCount }),
  };
}
