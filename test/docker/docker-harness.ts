import { expectStatus, StaveClient } from '@stave/testing';
import { startEmbedded, type Stack } from '../e2e/stack.js';
import type { ClusterView } from '../e2e/views.js';
import { DockerEngine } from './docker-engine.js';

const LONG_MS = 120_000;

/** Runs the product on this machine's Docker Engine, and removes the clusters that a suite created. */
export class DockerHarness {
  readonly engine = new DockerEngine();
  private readonly made: string[] = [];

  private constructor(
    private readonly stack: Stack,
    readonly api: StaveClient,
  ) {}

  static async open(): Promise<DockerHarness> {
    const stack = await startEmbedded();
    const harness = new DockerHarness(stack, new StaveClient(stack.url, stack.adminKey));
    await harness.engine.prepare();
    return harness;
  }

  /** Creates a cluster and waits until it is active. Throws when the creation fails. */
  async cluster(body: Readonly<Record<string, unknown>>): Promise<ClusterView> {
    const answer = expectStatus(await this.api.post<ClusterView>('/v1/clusters', body), 202);
    this.made.push(answer.body.id);
    return this.api.succeed(answer, LONG_MS);
  }

  /** Deletes a cluster. Throws when one of its objects remains on the engine. */
  async remove(clusterId: string): Promise<void> {
    await this.api.succeed(this.api.delete(`/v1/clusters/${clusterId}`), LONG_MS);
    const left = await this.engine.units(clusterId);
    if (left > 0) throw new Error(`${left} objects of cluster ${clusterId} remain on the engine`);
  }

  /** Deletes the remaining clusters of the suite, and stops the product. */
  async close(): Promise<void> {
    const { items } = await this.api.read<{ readonly items: readonly { readonly id: string }[] }>('/v1/clusters');
    await Promise.all(items.filter(({ id }) => this.made.includes(id)).map(({ id }) => this.remove(id)));
    await this.stack.close();
  }
}
