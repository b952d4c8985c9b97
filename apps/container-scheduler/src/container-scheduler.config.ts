import { listIn, readEnvironment, type Environment } from '@stave/platform';
import { serviceConfigOf, ServiceEnvironment, type ServiceConfig } from '@stave/service-kit';

/** The environment of a container-scheduler of its own process. */
export class ContainerSchedulerEnvironment extends ServiceEnvironment {
  /** The hosts that hooks of deletion policies may name, separated by commas. Empty: none. */
  HOOK_HOSTS = '';
}

export interface ContainerSchedulerConfig extends ServiceConfig {
  readonly hookHosts: readonly string[];
}

/** Throws BadEnvironmentError. */
export function containerSchedulerConfig(env: Environment): ContainerSchedulerConfig {
  const given = readEnvironment(ContainerSchedulerEnvironment, env);
  return { ...serviceConfigOf(given), hookHosts: listIn(given.HOOK_HOSTS) };
}
