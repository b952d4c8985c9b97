import { runService } from '@stave/service-kit';
import { containerSchedulerConfig } from './container-scheduler.config.js';
import { createContainerScheduler } from './create-container-scheduler.js';

runService(
  'container-scheduler',
  () => containerSchedulerConfig(process.env),
  ports => createContainerScheduler(ports),
  process,
);
