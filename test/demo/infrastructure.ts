import { journalPath, readJournal } from '@stave/driver-fake';
import { EngineClient } from '@stave/docker';
import { ensureBusyboxImage } from '@stave/driver-swarm-docker/testing';

/** A node as the infrastructure shows it. */
export interface Unit {
  readonly nodeId: string;
  readonly id: string;
  readonly name: string;
  readonly cpus: number;
  readonly memoryMb: number;
  readonly zone: string;
  readonly flavor: string;
  readonly role: string;
  readonly startedAt: string;
}

/** Reads the infrastructure directly, not through Stave. */
export interface Infrastructure {
  readonly driver: 'swarm_docker' | 'fake';
  readonly title: string;
  readonly clusterOptions: Readonly<Record<string, unknown>>;
  prepare(): Promise<void>;
  nodes(installation: string): Promise<readonly Unit[]>;
  /** Lists everything that belongs to the installation; empty when nothing is left. */
  leftovers(installation: string): Promise<readonly string[]>;
  /** Removes everything of the installation after an aborted run. */
  sweep(installation: string): Promise<void>;
}

const MB = 2 ** 20;
const caller = { signal: new AbortController().signal, checkpoint: () => undefined };

interface Summary {
  readonly Id: string;
  readonly Names: readonly string[];
  readonly Labels: Readonly<Record<string, string>>;
}

interface Details {
  readonly HostConfig: { readonly NanoCpus: number; readonly Memory: number };
  readonly State: { readonly StartedAt: string };
  readonly Mounts: readonly { readonly Type: string; readonly Name?: string }[];
}

/** Reads the Docker Engine at DOCKER_HOST. */
export class DockerInfrastructure implements Infrastructure {
  readonly driver = 'swarm_docker';
  readonly clusterOptions = {};
  readonly title: string;
  private readonly volumes = new Set<string>();
  private readonly engine: EngineClient;

  constructor(socketPath: string) {
    this.engine = new EngineClient(socketPath);
    this.title = `Docker (the engine at ${socketPath})`;
  }

  async prepare(): Promise<void> {
    await ensureBusyboxImage(caller, this.engine);
  }

  async nodes(installation: string): Promise<readonly Unit[]> {
    const found = (await this.containers(installation)).filter(c => c.Labels['stave.unit'] === 'node');
    const units = await Promise.all(found.map(summary => this.unit(summary)));
    return units.sort((a, b) => a.name.localeCompare(b.name));
  }

  async leftovers(installation: string): Promise<readonly string[]> {
    const containers = (await this.containers(installation)).map(c => `container ${c.Names.join()}`);
    const networks = (await this.networks(installation)).map(n => `network ${n.Name}`);
    const { Volumes } = await this.engine.read<{ Volumes: { Name: string }[] | null }>(caller, '/volumes');
    const volumes = (Volumes ?? []).filter(v => this.volumes.has(v.Name)).map(v => `volume ${v.Name}`);
    return [...containers, ...networks, ...volumes];
  }

  async sweep(installation: string): Promise<void> {
    for (const { Id } of await this.containers(installation))
      await this.engine.change(caller, 'DELETE', `/containers/${Id}`, {
        query: { force: true, v: true },
        timeoutMs: 60_000,
      });
    for (const { Id } of await this.networks(installation))
      await this.engine.change(caller, 'DELETE', `/networks/${Id}`);
  }

  private containers(installation: string): Promise<readonly Summary[]> {
    const query = { all: true, filters: ofInstallation(installation) };
    return this.engine.read(caller, '/containers/json', { query });
  }

  private networks(installation: string): Promise<readonly { readonly Id: string; readonly Name: string }[]> {
    return this.engine.read(caller, '/networks', { query: { filters: ofInstallation(installation) } });
  }

  private async unit({ Id, Names, Labels }: Summary): Promise<Unit> {
    const { HostConfig, State, Mounts } = await this.engine.read<Details>(caller, `/containers/${Id}/json`);
    for (const { Type, Name } of Mounts) if (Type === 'volume' && Name !== undefined) this.volumes.add(Name);
    return {
      nodeId: Labels['stave.node'] ?? '',
      id: Id.slice(0, 12),
      name: (Names[0] ?? '').replace(/^\//, ''),
      cpus: HostConfig.NanoCpus / 1e9,
      memoryMb: HostConfig.Memory / MB,
      zone: Labels['stave.zone'] ?? '-',
      flavor: Labels['stave.flavor'] ?? '-',
      role: Labels['stave.role'] ?? '-',
      startedAt: State.StartedAt,
    };
  }
}

const ofInstallation = (id: string): string => JSON.stringify({ label: [`stave.installation=${id}`] });

interface FakeAttributes {
  readonly role?: string;
  readonly flavor?: { readonly name?: string; readonly cpus: number; readonly memoryMb: number };
}

/** Reads the journal of the fake cloud. */
export class FakeInfrastructure implements Infrastructure {
  readonly driver = 'fake';
  readonly title: string;
  readonly clusterOptions = { latencyMs: { min: 1500, max: 3000 } };

  constructor(
    private readonly dataDir: string,
    chosen: boolean,
  ) {
    this.title = `the fake cloud (${chosen ? 'chosen' : 'no Docker Engine answers'})`;
  }

  async prepare(): Promise<void> {
    // the fake cloud needs no preparation
  }

  async nodes(): Promise<readonly Unit[]> {
    const nodes = (await this.units()).filter(u => u.kind === 'node');
    return nodes.map(({ resourceId, infrastructureId, name, zone, createdAt, attributes }) => {
      const { role = '-', flavor }: FakeAttributes = attributes;
      const { cpus = 0, memoryMb = 0 } = flavor ?? {};
      const common = { nodeId: resourceId, id: infrastructureId, name, zone: zone ?? '-', role, startedAt: createdAt };
      return { ...common, cpus, memoryMb, flavor: flavor?.name ?? `${cpus}x${memoryMb}` };
    });
  }

  async leftovers(): Promise<readonly string[]> {
    return (await this.units()).map(u => `${u.kind} ${u.infrastructureId}`);
  }

  async sweep(): Promise<void> {
    // the units are removed with the data directory
  }

  private async units() {
    const units = new Map<string, NonNullable<JournalPut>[number]>();
    for await (const { put = [], gone = [] } of readJournal(journalPath(this.dataDir))) {
      for (const unit of put) units.set(unit.infrastructureId, unit);
      for (const id of gone) units.delete(id);
    }
    return [...units.values()];
  }
}

type JournalPut =
  ReturnType<typeof readJournal> extends AsyncGenerator<infer Entry>
    ? Entry extends { readonly put?: infer Put }
      ? Put
      : never
    : never;
