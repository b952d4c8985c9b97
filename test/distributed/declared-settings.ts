import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@stave/testing';

/** Reads a file of the repository. */
export const readSource = (path: string): string => readFileSync(join(repositoryRoot(), path), 'utf8');

/** The environment classes that others extend, with their files. */
const SHARED: Readonly<Record<string, string>> = {
  ProcessEnvironment: 'libs/platform/src/config/process.environment.ts',
  HealthEnvironment: 'libs/platform/src/config/health.environment.ts',
  EventStoreEnvironment: 'apps/all-in-one/src/event-store.config.ts',
};

/** The functions that add settings to an environment class, with their files. */
const ADDED: Readonly<Record<string, string>> = {
  withEventStore: 'libs/platform/src/config/event-store.environment.ts',
  withHooks: 'libs/service-kit/src/hooks/hook.environment.ts',
  withLimits: 'apps/api-gateway/src/gateway.config.ts',
  withTls: 'libs/platform/src/config/tls.environment.ts',
  withSignIn: 'apps/api-gateway/src/sign-in/sign-in-settings.ts',
};

/** Returns the settings that the class in a function adds. */
function addedBy(name: string): readonly string[] {
  const [, body = ''] = readSource(ADDED[name] ?? '').split(`function ${name}<`);
  return keysOf(body.split('\n  }\n')[0] ?? '');
}

const keysOf = (body: string): readonly string[] =>
  [...body.matchAll(/^(?: {2}){1,2}([A-Z][A-Z0-9_]*)\??[ :=]/gm)].map(([, key = '']) => key);

/** Returns the settings that an environment class declares, and those that it inherits from a shared class. */
export function declaredIn(path: string): readonly string[] {
  const declaration = /export class \w+Environment(?: extends ((?:with\w+\()*)(\w+)\)*)? \{(?:\}|([\s\S]*?)\n\})/;
  const [, adding = '', parent = '', body = ''] = declaration.exec(readSource(path)) ?? [];
  const own = [...(adding.match(/\w+/g) ?? []).flatMap(addedBy), ...keysOf(body)];
  const shared = SHARED[parent];
  return shared === undefined ? own : [...declaredIn(shared), ...own];
}

/** Returns the settings that code reads from an environment by name. */
export function takenIn(path: string): readonly string[] {
  return [...readSource(path).matchAll(/env\['([A-Z][A-Z0-9_]*)'\]/g)].map(([, key = '']) => key);
}

const SERVICE = 'libs/service-kit/src/composition/service.environment.ts';

/** Returns every setting that a process of the product knows. */
export function settingsOf(process: string): readonly string[] {
  switch (process) {
    case 'cluster-service':
      return [...declaredIn(SERVICE), ...declaredIn('apps/cluster-service/src/cluster-service.config.ts')];
    case 'container-scheduler':
      return [...declaredIn(SERVICE), ...declaredIn('apps/container-scheduler/src/container-scheduler.config.ts')];
    case 'nodegroup-service':
      return [...declaredIn(SERVICE), ...declaredIn('apps/nodegroup-service/src/nodegroup-service.config.ts')];
    case 'api-gateway':
      return declaredIn('apps/api-gateway/src/gateway.config.ts');
    case 'conductor':
      return [
        ...declaredIn('apps/conductor/src/config/conductor.config.ts'),
        ...takenIn('libs/drivers/fake/src/fake.driver.ts'),
      ];
    case 'fake-cloud':
      return takenIn('libs/drivers/fake/src/fake-cloud.main.ts');
    default:
      throw new Error(`there is no process ${process}`);
  }
}
