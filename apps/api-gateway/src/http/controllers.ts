import { ApiKeysController } from './api-keys.controller.js';
import { ClusterNodeGroupsController, ClustersController } from './clusters.controller.js';
import { ContainerProfilesController } from './container-profiles.controller.js';
import { ContainersController } from './containers.controller.js';
import { EventsController } from './events.controller.js';
import { NodeGroupsController } from './node-groups.controller.js';
import { NodesController } from './nodes.controller.js';
import { OperationsController } from './operations.controller.js';
import { ProjectsController } from './projects.controller.js';
import { ReadModelsController } from './read-models.controller.js';
import { RegistryController } from './registry.controller.js';
import { ServiceController } from './service.controller.js';
import { ClusterTemplatesController, NodeGroupTemplatesController } from './templates.controller.js';
import { WhoamiController } from './whoami.controller.js';

export const controllers = [
  ApiKeysController,
  ClusterNodeGroupsController,
  ClustersController,
  ClusterTemplatesController,
  ContainerProfilesController,
  ContainersController,
  EventsController,
  NodeGroupsController,
  NodesController,
  NodeGroupTemplatesController,
  OperationsController,
  ProjectsController,
  ReadModelsController,
  RegistryController,
  ServiceController,
  WhoamiController,
] as const;
