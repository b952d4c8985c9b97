import { eventually, expectStatus, StaveClient, uniqueName } from '@stave/testing';
import { EmbeddedStack } from '../e2e/stack.js';
import type { ClusterView, ContainerView, ResourceView } from '../e2e/views.js';
import { DockerEngine } from './docker-engine.js';
import { engineInventory } from './engine-inventory.js';

const LONG_MS = 120_000;
const SLEEP = ['sleep', '100000'];

type Body = Readonly<Record<string, unknown>>;

/** Runs the product on this machine's Docker Engine, and removes the clusters that a suite created. */
export class DockerHarness {
  readonly engine = new DockerEngine();
  private readonly made: string[] = [];

  private constructor(
    private readonly stack: EmbeddedStack,
    readonly api: StaveClient,
    private readonly before: readonly string[],
  ) {}

  /** `settings`: settings of the product beside those of every suite. */
  static async open(settings: Readonly<Record<string, string>> = {}): Promise<DockerHarness> {
    await new DockerEngine().prepare();
    const before = await engineInventory();
    const stack = await EmbeddedStack.start(undefined, settings);
    return new DockerHarness(stack, new StaveClient(stack.url, stack.adminKey), before);
  }

  /** Creates a cluster and waits until it is active. Throws when the creation fails. */
  async cluster(body: Body, timeoutMs = LONG_MS): Promise<ClusterView> {
    const answer = expectStatus(await this.api.post<ClusterView>('/v1/clusters', body), 202);
    this.made.push(answer.body.id);
    return this.api.succeed(answer, timeoutMs);
  }

  /** Creates a profile of small containers that sleep, and returns its id. */
  async profile(clusterId: string, body: Body = {}): Promise<string> {
    const contents = { image: 'stave/busybox:1', command: SLEEP, resources: { cpus: 0.05, memoryMb: 16 } };
    const profile = { name: uniqueName('p'), hostCluster: clusterId, stopGraceSeconds: 1, ...contents, ...body };
    return expectStatus(await this.api.post<ResourceView>('/v1/container-profiles', profile), 201).body.id;
  }

  /** Creates a container from a profile of its own, and waits until it is active. */
  async run<T extends ContainerView>(clusterId: string, body: Body = {}): Promise<T> {
    const container = { name: uniqueName('c'), profile: await this.profile(clusterId, body) };
    const { id } = await this.api.succeed(this.api.post<ContainerView>('/v1/containers', container), LONG_MS);
    return this.api.read<T>(`/v1/containers/${id}`);
  }

  async removeContainer({ id }: ResourceView): Promise<void> {
    await this.api.succeed(this.api.delete(`/v1/containers/${id}`), LONG_MS);
  }

  /** Waits until the log of a container shows the text, and returns the log. */
  logOf({ id, name }: ResourceView, text: string): Promise<string> {
    return eventually(
      async () => {
        const { text: log } = expectStatus(await this.api.get(`/v1/containers/${id}/logs?tail=100`), 200);
        return log.includes(text) ? log : undefined;
      },
      { timeoutMs: LONG_MS, everyMs: 200, what: `"${text}" in the log of ${name}` },
    );
  }

  /** Deletes a cluster. Throws when one of its objects remains on the engine. */
  async remove(clusterId: string): Promise<void> {
    await this.api.succeed(this.api.delete(`/v1/clusters/${clusterId}`), LONG_MS);
    const left = await this.engine.units(clusterId);
    if (left > 0) throw new Error(`${left} objects of cluster ${clusterId} remain on the engine`);
  }

  /** Deletes the remaining clusters of the suite. */
  async removeAll(): Promise<void> {
    const { items } = await this.api.read<{ readonly items: readonly { readonly id: string }[] }>('/v1/clusters');
    await Promise.all(items.filter(({ id }) => this.made.includes(id)).map(({ id }) => this.remove(id)));
  }

  /** Deletes the remaining clusters of the suite, and stops the product. Throws when the engine has more than before the suite. */
  async close(): Promise<void> {
    await this.removeAll();
    await this.stack.close();
    const left = (await engineInventory()).filter(each => !this.before.includes(each));
    if (left.length > 0) throw new Error(`the suite leaves on the engine: ${left.join(', ')}`);
  }
}
