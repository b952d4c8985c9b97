import { readEnvironment, type Environment } from '@stave/platform';
import {
  hookSettings,
  serviceConfigOf,
  ServiceEnvironment,
  withHooks,
  type HookOptions,
  type ServiceConfig,
} from '@stave/service-kit';

/** The environment of a container-scheduler of its own process. */
export class ContainerSchedulerEnvironment extends withHooks(ServiceEnvironment) {}

export interface ContainerSchedulerConfig extends ServiceConfig {
  readonly hooks: HookOptions;
}

/** Throws BadEnvironmentError. */
export function containerSchedulerConfig(env: Environment): ContainerSchedulerConfig {
  const given = readEnvironment(ContainerSchedulerEnvironment, env);
  return { ...serviceConfigOf(given), hooks: hookSettings(given) };
}
