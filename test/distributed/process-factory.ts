import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { accepts, freePort, repositoryRoot } from '@stave/testing';
import { inheritedEnvironment } from './distributed.config.js';
import { ManagedProcess } from './managed-process.js';
import type { RestClient } from './rest-client.js';
import type { ConductorChoice, DistributedOptions, ServiceProcessName } from './stack.options.js';

const entries = {
  'event-store': 'apps/all-in-one/dist/event-store.main.js',
  'fake-cloud': 'libs/drivers/fake/dist/fake-cloud.main.js',
  'cluster-service': 'apps/cluster-service/dist/main.js',
  'nodegroup-service': 'apps/nodegroup-service/dist/main.js',
  'container-scheduler': 'apps/container-scheduler/dist/main.js',
  'api-gateway': 'apps/api-gateway/dist/main.js',
  conductor: 'apps/conductor/dist/main.js',
};

/** Addresses of the servers that all processes share. */
export interface Servers {
  readonly natsUrl: string;
  readonly eventStoreUrl: string;
  readonly streamPrefix: string;
  readonly fakeCloudUrl: string;
  readonly mongo?: { readonly url: string; readonly prefix: string };
}

type Env = Readonly<Record<string, string>>;

/** Creates the processes of one stack without starting them. */
export class ProcessFactory {
  private readonly logs: string;
  readonly adminKeyFile: string;

  constructor(private readonly options: DistributedOptions) {
    this.logs = join(options.dataDir, 'logs');
    this.adminKeyFile = join(options.dataDir, 'admin.key');
    mkdirSync(this.logs, { recursive: true });
  }

  /** Ends subscriptions of slow readers after 32 events, as EventStoreDB does, so that every run resumes some. */
  eventStore(port: number): ManagedProcess {
    const env = { DATA_DIR: this.options.dataDir, HOST: '127.0.0.1', PORT: String(port), LIVE_BUFFER: '32' };
    return this.make('event-store', 'event-store', env, () => accepts(port));
  }

  fakeCloud(port: number): ManagedProcess {
    const env = { DATA_DIR: this.options.dataDir, HOST: '127.0.0.1', PORT: String(port) };
    return this.make('fake-cloud', 'fake-cloud', env, () => answersOk(`http://127.0.0.1:${port}/health`));
  }

  async service(
    name: string,
    service: Exclude<ServiceProcessName, 'api-gateway'>,
    at: Servers,
  ): Promise<ManagedProcess> {
    const health = await freePort();
    const env = {
      ...serverEnvironment(at),
      ...(at.mongo && { MONGODB_URL: at.mongo.url, MONGODB_PREFIX: at.mongo.prefix }),
      ADMIN_KEY_FILE: this.adminKeyFile,
      DATA_DIR: join(this.options.dataDir, 'services', name),
      HEALTH_PORT: String(health),
    };
    return this.make(name, service, env, () => answersOk(`http://127.0.0.1:${health}/readyz`));
  }

  gateway(name: string, host: string, port: number, at: Servers): ManagedProcess {
    const env = { ...serverEnvironment(at), HOST: host, PORT: String(port) };
    return this.make(name, 'api-gateway', env, () => answersOk(`http://${host}:${port}/readyz`));
  }

  /** A conductor is ready when it is registered with a session that did not exist before its start. */
  async conductor({ id, group, env = {} }: ConductorChoice, at: Servers, rest: RestClient): Promise<ManagedProcess> {
    let before: unknown;
    const health = await freePort();
    const session = async (): Promise<unknown> =>
      (await rest.list('/v1/conductors')).find(conductor => conductor['id'] === id)?.['session'];
    return this.make(
      id,
      'conductor',
      {
        NATS_URL: at.natsUrl,
        FAKE_CLOUD_URL: at.fakeCloudUrl,
        DATA_DIR: join(this.options.dataDir, 'conductors', id),
        CONDUCTOR_ID: id,
        HEALTH_PORT: String(health),
        CONDUCTOR_GROUP: group,
        DRIVERS_ENABLED: (this.options.driversEnabled ?? ['fake']).join(','),
        ...env,
      },
      async () => {
        const now = await session();
        return now !== undefined && now !== before;
      },
      async () => {
        before = await session();
      },
    );
  }

  /** The servers of the tests are those of this repository. */
  private releaseOf(program: keyof typeof entries): string {
    const isServer = program === 'event-store' || program === 'fake-cloud';
    return isServer ? repositoryRoot() : (this.options.release ?? repositoryRoot());
  }

  private make(
    name: string,
    program: keyof typeof entries,
    env: Env,
    ready: () => Promise<boolean>,
    beforeStart?: () => Promise<void>,
  ): ManagedProcess {
    return new ManagedProcess(name, {
      entry: join(this.releaseOf(program), entries[program]),
      env: { ...inheritedEnvironment(), ...this.options.env, ...env, ...this.options.envOf?.[name] },
      cwd: this.options.dataDir,
      logFile: join(this.logs, `${name}.log`),
      ready,
      ...(beforeStart && { beforeStart }),
    });
  }
}

function serverEnvironment({ natsUrl, eventStoreUrl, streamPrefix }: Servers): Env {
  return { NATS_URL: natsUrl, EVENTSTORE_URL: eventStoreUrl, EVENTSTORE_STREAM_PREFIX: streamPrefix };
}

async function answersOk(url: string): Promise<boolean> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(3_000) });
  await answer.body?.cancel();
  return answer.ok;
}
