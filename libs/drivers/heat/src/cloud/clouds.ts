import { readFileSync } from 'node:fs';
import { DriverError, projectKeys, type DriverContext, type DriverSettings } from '@stave/driver-sdk';
import { readCloud, type PollingPace } from '@stave/openstack';
import { Cloud } from './cloud.js';

/** The project of a cluster: its id and, where it is known, its name. */
export interface OwningProject {
  readonly projectId: string;
  readonly projectName?: string;
}

/** The clouds of an installation: one for all projects, and own ones of those that HEAT_CLOUDS names. */
export class Clouds {
  private constructor(
    private readonly common: Cloud | undefined,
    private readonly own: ReadonlyMap<string, Cloud>,
  ) {}

  /** Reads OS_CLIENT_CONFIG_FILE, OS_CLIENT_SECURE_FILE, OS_CLOUD, OS_*, HEAT_CLOUDS and HEAT_STALL_SECONDS. Throws a permanent DriverError. */
  static in(env: DriverSettings['env']): Clouds {
    const pace = paceIn(env);
    const byEntry = new Map<string, Cloud>();
    const cloudOf = (entry: string): Cloud => {
      const found = byEntry.get(entry) ?? new Cloud(readCloud(env, textOf, entry), pace);
      byEntry.set(entry, found);
      return found;
    };
    const own = new Map(entriesIn(env['HEAT_CLOUDS']).map(([project, entry]) => [project, cloudOf(entry)]));
    const named = env['OS_CLOUD'];
    const isConfigured = named !== undefined || env['OS_AUTH_URL'] !== undefined || own.size === 0;
    const common = named ? cloudOf(named) : isConfigured ? new Cloud(readCloud(env, textOf), pace) : undefined;
    return new Clouds(common, own);
  }

  /** Returns the cloud of a project. Throws a permanent DriverError when it has none. */
  of({ projectId, projectName }: OwningProject): Cloud {
    const key = projectKeys(projectId, projectName).find(one => this.own.has(one));
    const found = key === undefined ? this.common : this.own.get(key);
    if (found) return found;
    throw new DriverError(
      'permanent',
      `project ${projectName ?? projectId} has no cloud: see OS_CLOUD and HEAT_CLOUDS`,
    );
  }

  /** Returns the cloud of a project by its id and name. Throws as `of`. */
  ofNames(project: readonly string[]): Cloud {
    const [projectId = '', projectName] = project;
    return this.of({ projectId, ...(projectName !== undefined && { projectName }) });
  }

  /** Returns all clouds, each once. */
  all(): readonly Cloud[] {
    return [...new Set([...(this.common ? [this.common] : []), ...this.own.values()])];
  }

  /** Returns the ids of the projects in OpenStack, which Keystone never assigns again. */
  async identities(ctx: DriverContext): Promise<readonly string[]> {
    const accounts = await Promise.all(this.all().map(cloud => cloud.account(ctx)));
    return [...new Set(accounts.map(({ projectId }) => projectId))].sort();
  }
}

function paceIn(env: DriverSettings['env']): PollingPace {
  const text = env['HEAT_STALL_SECONDS'] || '300';
  const seconds = Number(text);
  if (!Number.isInteger(seconds) || seconds < 1)
    throw new DriverError('permanent', 'HEAT_STALL_SECONDS must be a whole number of seconds, at least 1');
  return { firstMs: 1_000, longestMs: 10_000, stallMs: seconds * 1_000 };
}

function entriesIn(text = ''): (readonly [string, string])[] {
  const pairs = text
    .split(',')
    .map(pair => pair.trim())
    .filter(pair => pair !== '');
  return pairs.map(pair => {
    const [project = '', entry = '', ...rest] = pair.split('=').map(part => part.trim());
    if (project === '' || entry === '' || rest.length > 0)
      throw new DriverError('permanent', 'HEAT_CLOUDS must be a list such as shop=cloud-a,lab=cloud-b');
    return [project, entry] as const;
  });
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new DriverError('permanent', `${path} cannot be read`, { cause: error });
  }
}
