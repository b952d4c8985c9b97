import { runService } from '@stave/service-kit';
import { createNodeGroupService } from './app.module.js';
import { nodeGroupServiceConfig } from './nodegroup-service.config.js';

runService(
  'nodegroup-service',
  () => nodeGroupServiceConfig(process.env),
  (ports, { hooks }) => createNodeGroupService(ports, hooks),
  process,
);
