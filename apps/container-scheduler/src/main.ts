import { runService, serviceConfig } from '@stave/service-kit';
import { createContainerScheduler } from './app.module.js';

runService(
  'container-scheduler',
  () => serviceConfig(process.env),
  ports => createContainerScheduler(ports),
  process,
);
