import { readFileSync } from 'node:fs';
import type { SoftwareSource } from '@stave/bootstrap';
import {
  DriverError,
  type Driver,
  type DriverContext,
  type DriverModule,
  type DriverSettings,
} from '@stave/driver-sdk';
import { Clouds } from './cloud/clouds.js';
import { flavorIn, sizesOf } from './cloud/flavors.js';
import { SealedSecrets } from './cloud/sealed-secrets.js';
import { StackUnits } from './stacks/stack-units.js';
import { Templates } from './stacks/templates.js';
import { HeatClusters } from './units/cluster-lifecycle.js';
import type { EngineDefinition } from './units/engine-definition.js';
import type { HeatAccess } from './units/heat-access.js';
import { HeatInventory } from './units/inventory.js';
import { HeatNodes } from './units/node-lifecycle.js';

/**
 * Returns the module of a driver on Heat. It reads OS_CLIENT_CONFIG_FILE, OS_CLIENT_SECURE_FILE, OS_CLOUD, OS_*, HEAT_CLOUDS, HEAT_STALL_SECONDS,
 * HEAT_KEY_FILE, HEAT_EXTERNAL_NETWORK and HEAT_SOFTWARE_FILE. `open` throws a DriverError when no cloud answers and accepts
 * the login.
 */
export function heatDriver(
  define: (env: DriverSettings['env']) => EngineDefinition,
  software: SoftwareSource,
): DriverModule {
  return {
    async open({ env, installation, log }) {
      const engine = define(env);
      const access: HeatAccess = {
        clouds: Clouds.in(env),
        stacks: new StackUnits(installation),
        secrets: SealedSecrets.in(env, installation),
        templates: new Templates(engine.templates),
        engine,
        software: softwareIn(env) ?? software,
        externalNetwork: env['HEAT_EXTERNAL_NETWORK'] || undefined,
      };
      await requireOneCloud(access.clouds, log);
      return compose(access);
    },
  };
}

/** The token of the first login is not put into a store: no call has one yet, and no message contains it. */
const opening: Pick<DriverContext, 'signal' | 'secrets'> = {
  signal: new AbortController().signal,
  secrets: { get: async () => undefined, put: async () => undefined, delete: async () => undefined },
};

/** One cloud that is down must not stop the work on the others: it fails the calls that need it, until it answers again. */
async function requireOneCloud(clouds: Clouds, log: DriverSettings['log']): Promise<void> {
  const logins = await Promise.allSettled(clouds.all().map(cloud => cloud.account(opening)));
  const failures = logins.flatMap(login => (login.status === 'rejected' ? [login.reason as unknown] : []));
  if (failures.length === logins.length) throw failures[0];
  for (const err of failures) log.warn({ err }, 'a cloud does not answer or refuses the login; the others are served');
}

function compose(access: HeatAccess): Driver {
  const cluster = new HeatClusters(access);
  const inventory = new HeatInventory(access);
  return {
    cluster,
    node: new HeatNodes(access),
    ...(access.engine.operations && { api: access.engine.operations((ctx, ref) => cluster.reach(ctx, ref)) }),
    flavor: async (ctx, { name, project }) => sizesOf(await flavorIn(access.clouds.ofNames(project), ctx, { name })),
    list: (ctx, filter) => inventory.list(ctx, filter?.clusterId),
    identity: ctx => access.clouds.identities(ctx),
    remove: (ctx, unit) => inventory.remove(ctx, unit),
    close: async () => undefined, // every request uses a connection of its own
  };
}

function softwareIn(env: DriverSettings['env']): SoftwareSource | undefined {
  const path = env['HEAT_SOFTWARE_FILE'];
  if (!path) return undefined;
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as SoftwareSource;
  } catch (cause) {
    throw new DriverError('permanent', `HEAT_SOFTWARE_FILE=${path} is not a file with JSON`, { cause });
  }
}
