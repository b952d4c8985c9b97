import { serviceConfig, type ServiceConfig } from '@stave/service-kit';
import type { Environment } from '@stave/platform';

/** The settings of a nodegroup-service of its own process. Throws BadEnvironmentError. */
export function nodeGroupServiceConfig(env: Environment): ServiceConfig {
  return serviceConfig(env);
}
