import type { DriverApi, DriverContext, OperationRequest } from '@stave/driver-sdk';
import type { EngineClient } from './engine-client.js';
import type { SwarmNode, SwarmService } from './engine-types.js';
import { label } from './labels.js';

/** What a manager of a Swarm shows of it. */
export interface SwarmView {
  services(ctx: DriverContext): Promise<readonly SwarmService[]>;
  nodes(ctx: DriverContext): Promise<readonly SwarmNode[]>;
}

/** Within the deadline of the operations. */
const timeoutMs = 9_000;

/** Returns what the manager with this engine shows. */
export const swarmViewOf = (engine: EngineClient): SwarmView => ({
  services: ctx => engine.read(ctx, '/services', { query: { status: true }, timeoutMs }),
  nodes: ctx => engine.read(ctx, '/nodes', { timeoutMs }),
});

/** The operations of a driver of Swarm: the view that the managers of a cluster have of it. `viewOf` throws a DriverError where there is none. */
export function swarmOperations(
  viewOf: (ctx: DriverContext, request: OperationRequest) => Promise<SwarmView>,
): DriverApi {
  return {
    services: async (ctx, request) => ({
      items: (await (await viewOf(ctx, request)).services(ctx)).map(shownService),
    }),
    nodes: async (ctx, request) => ({ items: (await (await viewOf(ctx, request)).nodes(ctx)).map(shownNode) }),
  };
}

/** Variables, commands and secrets of a service are not shown: a reader may not know them. */
function shownService({ ID: id, CreatedAt: createdAt, Spec, ServiceStatus, Endpoint }: SwarmService) {
  const { Name: name, Mode, TaskTemplate } = Spec;
  const mode = Object.keys(Mode)[0] ?? 'Replicated';
  const ports = (Endpoint?.Ports ?? []).map(({ Protocol: protocol, TargetPort, PublishedPort }) => ({
    protocol,
    targetPort: TargetPort,
    ...(PublishedPort !== undefined && { publishedPort: PublishedPort }),
  }));
  const image = TaskTemplate.ContainerSpec?.Image;
  return {
    ...{ id, name, createdAt, ports },
    mode: `${mode.charAt(0).toLowerCase()}${mode.slice(1)}`,
    ...(image !== undefined && { image }),
    ...(ServiceStatus && { runningTasks: ServiceStatus.RunningTasks, desiredTasks: ServiceStatus.DesiredTasks }),
  };
}

function shownNode({ ID: id, Spec, Status, ManagerStatus, Description }: SwarmNode) {
  const { Role: role, Availability: availability } = Spec;
  const labels = Spec.Labels ?? {};
  const nodeId = labels[label.node];
  return {
    ...{ id, role, availability, labels, state: Status.State, leader: ManagerStatus?.Leader ?? false },
    ...(nodeId !== undefined && { nodeId }),
    ...(Description.Hostname !== undefined && { name: Description.Hostname }),
    ...(Description.Engine?.EngineVersion !== undefined && { version: Description.Engine.EngineVersion }),
    ...(Status.Addr !== undefined && { address: Status.Addr }),
  };
}
