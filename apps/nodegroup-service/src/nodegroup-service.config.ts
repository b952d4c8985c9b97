import { readEnvironment, type Environment } from '@stave/platform';
import {
  hookSettings,
  serviceConfigOf,
  ServiceEnvironment,
  withHooks,
  type HookOptions,
  type ServiceConfig,
} from '@stave/service-kit';

/** The environment of a nodegroup-service of its own process. */
export class NodeGroupServiceEnvironment extends withHooks(ServiceEnvironment) {}

interface NodeGroupServiceConfig extends ServiceConfig {
  readonly hooks: HookOptions;
}

/** Throws BadEnvironmentError. */
export function nodeGroupServiceConfig(env: Environment): NodeGroupServiceConfig {
  const given = readEnvironment(NodeGroupServiceEnvironment, env);
  return { ...serviceConfigOf(given), hooks: hookSettings(given) };
}
