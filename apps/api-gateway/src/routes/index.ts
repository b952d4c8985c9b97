import { apiKeyRoutes, projectRoutes, whoamiRoute } from './access.routes.js';
import { clusterRoutes } from './cluster.routes.js';
import { containerProfileRoutes, containerRoutes } from './container.routes.js';
import { clusterNodeGroupRoutes, nodeGroupRoutes } from './node-group.routes.js';
import { clusterNodeRoutes, nodeRoutes } from './node.routes.js';
import { eventsRoute, operationRoutes } from './operation.routes.js';
import { readModelRoutes } from './read-model.routes.js';
import { conductorGroupRoutes, conductorRoutes, driverRoutes, ringRoutes } from './registry.routes.js';
import type { Route } from './route.js';
import { serviceRoutes } from './service.routes.js';
import { clusterTemplateRoutes, nodeGroupTemplateRoutes } from './template.routes.js';

/** Every operation of the API, in the order of the OpenAPI document. */
export const allRoutes: readonly Route[] = [
  ...clusterRoutes,
  ...clusterNodeGroupRoutes,
  ...clusterNodeRoutes,
  ...nodeGroupRoutes,
  ...nodeRoutes,
  ...containerRoutes,
  ...containerProfileRoutes,
  ...clusterTemplateRoutes,
  ...nodeGroupTemplateRoutes,
  ...Object.values(operationRoutes),
  eventsRoute,
  ...projectRoutes,
  ...apiKeyRoutes,
  whoamiRoute,
  ...driverRoutes,
  ...conductorRoutes,
  ...conductorGroupRoutes,
  ...ringRoutes,
  ...Object.values(readModelRoutes),
  ...Object.values(serviceRoutes),
];
