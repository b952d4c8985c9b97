import { runService, serviceConfig } from '@stave/service-kit';
import { createNodeGroupService } from './app.module.js';

runService(
  'nodegroup-service',
  () => serviceConfig(process.env),
  ports => createNodeGroupService(ports),
  process,
);
