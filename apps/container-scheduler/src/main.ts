import { runService } from '@stave/service-kit';
import { createContainerScheduler } from './app.module.js';
import { containerSchedulerConfig } from './container-scheduler.config.js';

runService(
  'container-scheduler',
  () => containerSchedulerConfig(process.env),
  (ports, { hooks }) => createContainerScheduler(ports, hooks),
  process,
);
