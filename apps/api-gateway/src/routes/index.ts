import { accessRoutes } from './access.routes.js';
import { auditRoute } from './audit.routes.js';
import { clusterRoutes } from './cluster.routes.js';
import { containerSetRoutes } from './container-set.routes.js';
import { containerRoutes } from './container.routes.js';
import { explainRoutes } from './explain.routes.js';
import { machineRoutes } from './machine.routes.js';
import { networkRoutes } from './network.routes.js';
import { nodeGroupRoutes } from './node-group.routes.js';
import { nodeRoutes } from './node.routes.js';
import { eventsRoute, operationRoutes } from './operation.routes.js';
import { policyRoutes } from './policy.routes.js';
import { readModelRoutes } from './read-model.routes.js';
import { registryRoutes } from './registry.routes.js';
import type { Route } from './route.js';
import { serviceRoutes } from './service.routes.js';
import { signInRoutes } from './sign-in.routes.js';
import { summaryRoute } from './summary.routes.js';
import { templateRoutes } from './template.routes.js';
import { volumeRoutes } from './volume.routes.js';

/** Every operation of the API, in the order of the OpenAPI document. */
export const allRoutes: readonly Route[] = [
  ...clusterRoutes,
  ...nodeGroupRoutes,
  ...nodeRoutes,
  ...containerRoutes,
  ...containerSetRoutes,
  ...explainRoutes,
  ...policyRoutes,
  ...networkRoutes,
  ...volumeRoutes,
  ...templateRoutes,
  ...Object.values(operationRoutes),
  eventsRoute,
  summaryRoute,
  ...accessRoutes,
  ...Object.values(signInRoutes),
  auditRoute,
  ...machineRoutes,
  ...registryRoutes,
  ...Object.values(readModelRoutes),
  ...Object.values(serviceRoutes),
];
