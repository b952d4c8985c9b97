import { runService } from '@stave/service-kit';
import { createNodeGroupService } from './create-nodegroup-service.js';
import { nodeGroupServiceConfig } from './nodegroup-service.config.js';

runService(
  'nodegroup-service',
  () => nodeGroupServiceConfig(process.env),
  ports => createNodeGroupService(ports),
  process,
);
