import { DriverError } from '@stave/driver-sdk';
import { parse } from 'yaml';
import type { CloudSettings, Identity } from './cloud-settings.js';

type Entry = Readonly<Record<string, unknown>>;
type Environment = Readonly<Record<string, string | undefined>>;

/** Reads a file; undefined when there is none. */
export type ReadText = (path: string) => string | undefined;

/**
 * Reads the settings of a cloud as OpenStack's own clients do: the entry `cloud`, else that of OS_CLOUD, of clouds.yaml merged with that of
 * secure.yaml (OS_CLIENT_CONFIG_FILE, OS_CLIENT_SECURE_FILE, else in `~/.config/openstack` and `/etc/openstack`); without an entry the
 * variables OS_*. Throws a permanent DriverError that names the file, the entry and every missing or unusable member, and no value.
 */
export function readCloud(env: Environment, readText: ReadText, cloud?: string): CloudSettings {
  const name = cloud ?? (env['OS_CLOUD'] || undefined);
  if (name === undefined) return settingsOf('the environment', entryOfVariables(env), readText);
  const entry = merged(entryIn(env, readText, 'CONFIG', name), entryIn(env, readText, 'SECURE', name));
  if (!entry) throw new DriverError('permanent', `the cloud ${name} is not in clouds.yaml`);
  return settingsOf(`the cloud ${name} in clouds.yaml`, entry, readText);
}

function entryIn(env: Environment, readText: ReadText, kind: 'CONFIG' | 'SECURE', name: string): Entry | undefined {
  const named = env[`OS_CLIENT_${kind}_FILE`];
  const file = kind === 'CONFIG' ? 'clouds.yaml' : 'secure.yaml';
  const usual = [`${env['HOME'] ?? ''}/.config/openstack/${file}`, `/etc/openstack/${file}`];
  for (const path of named ? [named] : usual) {
    const text = readText(path);
    if (text === undefined) continue;
    const clouds = recordOf(recordOf(parsed(path, text))?.['clouds']);
    return recordOf(clouds?.[name]);
  }
  if (named && kind === 'CONFIG')
    throw new DriverError('permanent', `${named} of OS_CLIENT_CONFIG_FILE does not exist`);
  return undefined;
}

function parsed(path: string, text: string): unknown {
  try {
    return parse(text);
  } catch {
    // the message of the parser quotes the file, which contains secrets
    throw new DriverError('permanent', `${path} is not YAML`);
  }
}

const recordOf = (value: unknown): Entry | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Entry) : undefined;

function merged(one: Entry | undefined, other: Entry | undefined): Entry | undefined {
  if (!one || !other) return one ?? other;
  const all = { ...one, ...other };
  return { ...all, auth: { ...recordOf(one['auth']), ...recordOf(other['auth']) } };
}

function entryOfVariables(env: Environment): Entry {
  const auth = ['auth_url', 'username', 'user_id', 'password', 'project_name', 'project_id', 'user_domain_name'];
  const rest = ['user_domain_id', 'project_domain_name', 'project_domain_id'];
  const of = (name: string): [string, unknown] => [name, env[`OS_${name.toUpperCase()}`] || undefined];
  const own = ['region_name', 'interface', 'cacert', 'auth_type'].map(of);
  return { ...Object.fromEntries(own), auth: Object.fromEntries([...auth, ...rest].map(of)) };
}

function settingsOf(place: string, entry: Entry, readText: ReadText): CloudSettings {
  const auth = recordOf(entry['auth']) ?? {};
  const text = (from: Entry, name: string): string | undefined => {
    const value = from[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const identity = (kind: 'user' | 'project'): Identity => {
    const id = text(auth, `${kind}_id`);
    const name = text(auth, kind === 'user' ? 'username' : 'project_name');
    const domainId = text(auth, `${kind}_domain_id`);
    const domain = domainId === undefined ? { name: text(auth, `${kind}_domain_name`) ?? 'Default' } : { id: domainId };
    return id === undefined ? { ...(name !== undefined && { name }), domain } : { id };
  };
  const [authUrl, password, user, project] = [
    ...[text(auth, 'auth_url'), text(auth, 'password')],
    ...[identity('user'), identity('project')],
  ] as const;
  const missing = [
    ...(authUrl === undefined ? ['auth_url'] : []),
    ...(password === undefined ? ['password'] : []),
    ...((user.id ?? user.name) ? [] : ['username or user_id']),
    ...((project.id ?? project.name) ? [] : ['project_name or project_id']),
    ...(usableType(text(entry, 'auth_type')) ? [] : ['auth_type password: Heat refuses application credentials']),
    ...(usableInterface(text(entry, 'interface')) ? [] : ['interface public, internal or admin']),
  ];
  if (authUrl === undefined || password === undefined || missing.length > 0)
    throw new DriverError('permanent', `${place} needs ${missing.join(', ')}`);
  const region = text(entry, 'region_name');
  const cacert = text(entry, 'cacert');
  return {
    authUrl: authUrl.replace(/\/+$/, '').replace(/(\/v3)?$/, '/v3'),
    user,
    password,
    project,
    ...(region !== undefined && { region }),
    interface: interfaceOf(text(entry, 'interface')),
    ...(cacert !== undefined && { authorities: authoritiesIn(place, cacert, readText) }),
  };
}

const usableType = (type: string | undefined): boolean =>
  type === undefined || ['password', 'v3password'].includes(type);

const usableInterface = (name: string | undefined): boolean =>
  name === undefined || /^(public|internal|admin)(URL)?$/.test(name);

function interfaceOf(name: string | undefined): CloudSettings['interface'] {
  if (name?.startsWith('internal')) return 'internal';
  return name?.startsWith('admin') ? 'admin' : 'public';
}

function authoritiesIn(place: string, path: string, readText: ReadText): string {
  const authorities = readText(path);
  if (authorities === undefined) throw new DriverError('permanent', `${path}, the cacert of ${place}, does not exist`);
  return authorities;
}
