import 'reflect-metadata';
import { createHash } from 'node:crypto';
import { createClusterService } from '@stave/cluster-service';
import { commandSubject, type ServiceName } from '@stave/contracts';
import { createContainerScheduler } from '@stave/container-scheduler';
import { createNodeGroupService } from '@stave/nodegroup-service';
import { createLogger, EmbeddedEventStore, MemoryBroker, MemoryDocumentStore, MemoryMessaging } from '@stave/platform';
import type { ReadModelStatus, RunningService, ServicePorts } from '@stave/service-kit';
import { mustBe } from './bench-report.js';

export interface BuildOrder {
  readonly directory: string;
  readonly services: readonly string[];
}

export interface Built {
  /** The seconds from the first event to the last document. */
  readonly seconds: number;
  readonly cpu: number;
  readonly documents: number;
  readonly hash: string;
  readonly rebuildSeconds: number;
  /** The hash after a requested rebuild of all read models. */
  readonly rebuiltHash: string;
  readonly rssMb: number;
}

const starts: Readonly<Record<ServiceName, (ports: ServicePorts) => Promise<RunningService>>> = {
  'cluster-service': ports => createClusterService(ports),
  'nodegroup-service': ports => createNodeGroupService(ports),
  'container-scheduler': ports => createContainerScheduler(ports),
};
const bookkeeping = 'projection';

/** Hashes all served documents, independently of the names of their collections. */
async function hashOf(stores: ReadonlyMap<string, MemoryDocumentStore>, serving: ReadonlySet<string>) {
  const lines: string[] = [];
  for (const served of serving) {
    const [service = '', name = ''] = served.split(' ');
    const collection = await stores.get(service)?.collection(name);
    for (const document of (await collection?.find({})) ?? [])
      lines.push(`${service} ${name.split('@')[0]} ${JSON.stringify(document)}`);
  }
  const hash = createHash('sha256');
  for (const line of lines.sort()) hash.update(line);
  return { hash: hash.digest('hex').slice(0, 16), documents: lines.length };
}

class Building {
  private readonly broker = new MemoryBroker({ byReference: true });
  private readonly asking = new MemoryMessaging(this.broker);
  private readonly running: RunningService[] = [];
  private readonly stores = new Map<ServiceName, MemoryDocumentStore>();

  constructor(
    private readonly eventStore: EmbeddedEventStore,
    private readonly services: readonly ServiceName[],
  ) {}

  async start(): Promise<void> {
    const onError = (error: unknown): void => {
      throw error;
    };
    const start = async (service: ServiceName): Promise<void> => {
      const documentStore = new MemoryDocumentStore();
      this.stores.set(service, documentStore);
      const log = createLogger(service, 'error');
      const messaging = new MemoryMessaging(this.broker, { onError });
      this.running.push(await starts[service]({ eventStore: this.eventStore, documentStore, messaging, log }));
    };
    await Promise.all(this.services.map(start));
    await this.caughtUp(() => true);
  }

  /** Requests a rebuild of every read model. */
  async rebuild(): Promise<void> {
    const before = await this.serving();
    for (const [service, models] of await this.statuses())
      for (const { name } of models) await this.ask(service, 'rebuild', { name });
    await this.caughtUp(now => [...now].every(collection => !before.has(collection)));
  }

  async seen(): Promise<{ hash: string; documents: number }> {
    return hashOf(this.stores, await this.serving());
  }

  async close(): Promise<void> {
    for (const service of this.running) await service.close();
  }

  private async serving(): Promise<ReadonlySet<string>> {
    const all = await this.statuses();
    return new Set(all.flatMap(([service, models]) => models.map(m => `${service} ${m.serving?.collection}`)));
  }

  /** Resolves when every read model is ready, has processed the complete log and satisfies `holds`. */
  private async caughtUp(holds: (serving: ReadonlySet<string>) => boolean): Promise<void> {
    for (;;) {
      const models = (await this.statuses()).flatMap(([, of]) => of);
      const current = await Promise.all([...this.stores.values()].map(store => this.isCurrent(store)));
      if (models.every(m => m.status === 'READY') && current.every(Boolean) && holds(await this.serving())) return;
      await new Promise(resolve => setTimeout(resolve, 5));
    }
  }

  private async isCurrent(store: MemoryDocumentStore): Promise<boolean> {
    const documents = await (await store.collection(bookkeeping)).find({});
    const checkpoint = documents.find(({ _id }) => _id.startsWith('checkpoint@'))?.['position'];
    return typeof checkpoint === 'number' && checkpoint >= (await this.eventStore.head()) - 50;
  }

  private async statuses(): Promise<readonly (readonly [ServiceName, readonly ReadModelStatus[]])[]> {
    return Promise.all(this.services.map(async service => [service, await this.ask(service, 'list', {})] as const));
  }

  private async ask(service: ServiceName, verb: string, body: object): Promise<readonly ReadModelStatus[]> {
    const request = { body, meta: { correlationId: 'bench', actor: { keyId: 'bench', role: 'admin', project: null } } };
    const reply = await this.asking.request(commandSubject(service, 'read-model', verb), request, {
      timeoutMs: 60_000,
    });
    const { data } = reply as { readonly data: readonly ReadModelStatus[] };
    return data;
  }
}

const isService = (name: string): name is ServiceName => name in starts;

async function build({ directory, services }: BuildOrder): Promise<Built> {
  const eventStore = await EmbeddedEventStore.open({ directory });
  const building = new Building(eventStore, services.filter(isService));
  const began = { at: performance.now(), cpu: process.cpuUsage() };
  await building.start();
  const seconds = (performance.now() - began.at) / 1000;
  const { user, system } = process.cpuUsage(began.cpu);
  const { hash, documents } = await building.seen();
  mustBe(documents > 0, 'documents were written');
  const rebuildAt = performance.now();
  await building.rebuild();
  const rebuildSeconds = (performance.now() - rebuildAt) / 1000;
  const rssMb = process.memoryUsage().rss / 1024 / 1024;
  const rebuilt = await building.seen();
  await building.close();
  await eventStore.close();
  return { seconds, cpu: (user + system) / 1e6, documents, hash, rebuildSeconds, rebuiltHash: rebuilt.hash, rssMb };
}

process.on('message', (order: BuildOrder) => {
  build(order).then(
    built => process.send?.(built, () => process.exit(0)),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
