import type { DriverApi } from '@stave/driver-sdk';
import type { SwarmNode, SwarmService } from './engine-types.js';
import { label } from './labels.js';
import type { SwarmManagers } from './swarm-manager.js';

/** The operations of the driver: the view that the managers of a cluster have of its Swarm. */
export function swarmApi(managers: SwarmManagers): DriverApi {
  return {
    services: async (ctx, { cluster }) => {
      const manager = await managers.require(ctx, cluster.id);
      return { items: (await manager.services(ctx)).map(shownService) };
    },
    nodes: async (ctx, { cluster }) => {
      const manager = await managers.require(ctx, cluster.id);
      return { items: (await manager.nodes(ctx)).map(shownNode) };
    },
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
