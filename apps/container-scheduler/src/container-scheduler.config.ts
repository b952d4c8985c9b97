import { serviceConfig, type ServiceConfig } from '@stave/service-kit';
import type { Environment } from '@stave/platform';

/** The settings of a container-scheduler of its own process. Throws BadEnvironmentError. */
export function containerSchedulerConfig(env: Environment): ServiceConfig {
  return serviceConfig(env);
}
