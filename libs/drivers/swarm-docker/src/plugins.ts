import { readFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { DriverError, type DriverSettings, type NodeSpec } from '@stave/driver-sdk';

/** A plug-in of the operator, for networks or volumes (Docker's plug-in protocol on a unix socket). */
export interface Plugin {
  readonly name: string;
  /** The socket of the plug-in on this machine. */
  readonly socket: string;
  /** The directory of its mount points, which every node has at the same path. */
  readonly directory: string;
}

/** Where the sockets of plug-ins are in a node. */
const inNode = '/stave-plugins';

/** Reads the file that SWARM_DOCKER_PLUGINS_FILE names. Throws DriverError `permanent` that says what is wrong with it. */
export function readPlugins(env: DriverSettings['env']): readonly Plugin[] {
  const file = env['SWARM_DOCKER_PLUGINS_FILE'];
  if (!file) return [];
  try {
    const listed: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (Array.isArray(listed) && listed.every(isPlugin)) return listed;
  } catch (cause) {
    throw new DriverError('permanent', `SWARM_DOCKER_PLUGINS_FILE=${file} cannot be read as JSON`, { cause });
  }
  const expected = '[{"name", "socket", "directory"}] with absolute paths, and names of a-z, 0-9, - and _';
  throw new DriverError('permanent', `SWARM_DOCKER_PLUGINS_FILE=${file} must contain ${expected}`);
}

function isPlugin(entry: unknown): entry is Plugin {
  const { name, socket, directory }: Partial<Record<string, unknown>> = Object(entry);
  const isPath = (path: unknown): boolean => typeof path === 'string' && isAbsolute(path) && dirname(path) !== path;
  return typeof name === 'string' && /^[a-z0-9][a-z0-9_-]{0,62}$/.test(name) && isPath(socket) && isPath(directory);
}

/** Returns the plug-ins that a node has by its options. Throws `permanent` with the code `plugin-not-allowed` for others. */
export function pluginsOf({ cluster, options }: NodeSpec, allowed: readonly Plugin[]): readonly Plugin[] {
  const { plugins } = { ...cluster.options, ...options };
  return (Array.isArray(plugins) ? plugins : []).map((name: unknown) => {
    const plugin = allowed.find(one => one.name === name);
    if (plugin) return plugin;
    const message = `plug-in ${String(name)} is not allowed: an operator lists it in SWARM_DOCKER_PLUGINS_FILE`;
    throw new DriverError('permanent', message, { code: 'plugin-not-allowed' });
  });
}

/** Returns the mounts and the variable by which the engine of a node finds its plug-ins. */
export function pluginMounts(plugins: readonly Plugin[]): {
  readonly mounts: readonly object[];
  readonly env: string[];
} {
  if (plugins.length === 0) return { mounts: [], env: [] };
  const mounts = plugins.flatMap(({ name, socket, directory }) => [
    { Type: 'bind', Source: dirname(socket), Target: join(inNode, name) },
    { Type: 'bind', Source: directory, Target: directory },
  ]);
  const sockets = plugins.map(({ name, socket }) => `${name}=${join(inNode, name, basename(socket))}`);
  return { mounts, env: [`STAVE_PLUGINS=${sockets.join(' ')}`] };
}
