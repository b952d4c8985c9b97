import type { ContainerUsage, DriverContext } from '@stave/driver-sdk';
import { type DockerEngine, label, labelled, memoryMbOf, type StatsSample, undefinedOnFailure } from '@stave/docker';
import { engineOf, type Inventory, type NodeContainer } from './inventory.js';

const atATime = 16;
const timeoutMs = 5_000;

interface CpuTime {
  readonly atMs: number;
  readonly usedNs: number;
}

/**
 * Samples the containers of all nodes. The CPU time since the sample before shows the cores in use, so that the first sample of a container
 * shows nothing.
 */
export class ContainerMonitor {
  private before: ReadonlyMap<string, CpuTime> = new Map();

  constructor(
    private readonly inventory: Inventory,
    private readonly installation: string,
  ) {}

  async usage(ctx: DriverContext): Promise<readonly ContainerUsage[]> {
    const nodes = (await this.inventory.nodes(ctx, {})).filter(node => node.state === 'running');
    const now = new Map<string, CpuTime>();
    const found = await Promise.all(nodes.map(node => undefinedOnFailure(ctx, () => this.onNode(ctx, node, now))));
    this.before = now;
    return found.flatMap(usages => usages ?? []);
  }

  private async onNode(ctx: DriverContext, node: NodeContainer, now: Map<string, CpuTime>): Promise<ContainerUsage[]> {
    const engine = engineOf(node);
    const wanted = labelled({ installation: this.installation, unit: 'container' });
    const running = (await engine.containers(ctx, wanted, timeoutMs)).filter(({ State }) => State === 'running');
    const usages: ContainerUsage[] = [];
    for (let at = 0; at < running.length; at += atATime) {
      const some = running.slice(at, at + atATime);
      const samples = await Promise.all(some.map(({ Id }) => undefinedOnFailure(ctx, () => sampleOf(ctx, engine, Id))));
      samples.forEach((sample, i) => {
        const { Id = '', Labels = {} } = some[i] ?? {};
        const cpuCores = sample && this.coresOf(Id, sample, now);
        const containerId = Labels[label.container] ?? '';
        if (sample && cpuCores !== undefined)
          usages.push({ containerId, nodeId: node.nodeId, cpuCores, memoryMb: memoryMbOf(sample) });
      });
    }
    return usages;
  }

  private coresOf(id: string, sample: StatsSample, now: Map<string, CpuTime>): number | undefined {
    const time = { atMs: Date.parse(sample.read), usedNs: sample.cpu_stats.cpu_usage.total_usage };
    now.set(id, time);
    const before = this.before.get(id);
    // a restart begins at zero
    if (!before || time.atMs <= before.atMs || time.usedNs < before.usedNs) return undefined;
    return (time.usedNs - before.usedNs) / ((time.atMs - before.atMs) * 1e6);
  }
}

/** Returns one sample; undefined when the container does not run. */
async function sampleOf(ctx: DriverContext, engine: DockerEngine, id: string): Promise<StatsSample | undefined> {
  const query = { stream: false, 'one-shot': true };
  const sample = await engine.read<StatsSample>(ctx, `/containers/${id}/stats`, { query, timeoutMs });
  return sample.read.startsWith('0001-') ? undefined : sample;
}
