import type { ContainerStats } from '@stave/driver-sdk';
import { EngineClient, withLabels, type Caller } from './engine-client.js';
import { undefinedOn } from './engine-error.js';
import type {
  ContainerDetails,
  ContainerSummary,
  EngineInfo,
  NetworkSummary,
  StatsSample,
  VolumeSummary,
} from './engine-types.js';
import { demultiplex } from './logs.js';

const megabyte = 2 ** 20;

type LabelFilter = Parameters<typeof withLabels>[0];

/** A Docker Engine with the operations that several parts of the driver use. Changes can be repeated. */
export class DockerEngine extends EngineClient {
  info(caller: Caller, timeoutMs?: number): Promise<EngineInfo> {
    return this.read(caller, '/info', { timeoutMs });
  }

  containers(caller: Caller, labels: LabelFilter, timeoutMs?: number): Promise<ContainerSummary[]> {
    return this.read(caller, '/containers/json', { query: { all: true, ...withLabels(labels) }, timeoutMs });
  }

  /** Returns a container by its id or name; undefined when it does not exist. */
  container(caller: Caller, id: string, timeoutMs?: number): Promise<ContainerDetails | undefined> {
    return undefinedOn([404], this.read<ContainerDetails>(caller, `/containers/${id}/json`, { timeoutMs }));
  }

  async start(caller: Caller, id: string): Promise<void> {
    await undefinedOn([304], this.change(caller, 'POST', `/containers/${id}/start`, { timeoutMs: 30_000 }));
  }

  /** Stops or restarts a container, whose processes have `graceSeconds` to end. */
  async halt(caller: Caller, action: 'stop' | 'restart', id: string, graceSeconds: number): Promise<void> {
    const options = { query: { t: graceSeconds }, timeoutMs: (graceSeconds + 20) * 1000 };
    await undefinedOn([304], this.change(caller, 'POST', `/containers/${id}/${action}`, options));
  }

  /** Removes a container and its anonymous volumes; succeeds when it does not exist or another call is removing it. */
  async removeContainer(caller: Caller, id: string): Promise<void> {
    const options = { query: { force: true, v: true }, timeoutMs: 60_000 };
    await undefinedOn([404, 409], this.change(caller, 'DELETE', `/containers/${id}`, options));
  }

  /** Returns the utilisation of a container; undefined when it does not run. Takes about two seconds, because the engine compares two samples. */
  async stats(caller: Caller, id: string, timeoutMs?: number): Promise<ContainerStats | undefined> {
    const options = { query: { stream: false }, timeoutMs };
    return containerStats(await this.read<StatsSample>(caller, `/containers/${id}/stats`, options));
  }

  async logs(caller: Caller, id: string, tail: number): Promise<string> {
    const query = { stdout: true, stderr: true, tail };
    return demultiplex(await this.readBytes(caller, `/containers/${id}/logs`, { query }));
  }

  networks(caller: Caller, labels: LabelFilter, timeoutMs?: number): Promise<NetworkSummary[]> {
    return this.read(caller, '/networks', { query: withLabels(labels), timeoutMs });
  }

  async volumes(caller: Caller, ...filter: Parameters<typeof withLabels>): Promise<readonly VolumeSummary[]> {
    const query = withLabels(...filter);
    return (await this.read<{ Volumes: VolumeSummary[] | null }>(caller, '/volumes', { query })).Volumes ?? [];
  }

  /** Removes a volume; succeeds when it does not exist, and when a container uses it (409). */
  async removeVolume(caller: Caller, name: string): Promise<void> {
    await undefinedOn([404, 409], this.change(caller, 'DELETE', `/volumes/${encodeURIComponent(name)}`));
  }

  /** Returns a volume by its name; undefined when it does not exist. */
  volume(caller: Caller, name: string): Promise<VolumeSummary | undefined> {
    return undefinedOn([404], this.read<VolumeSummary>(caller, `/volumes/${encodeURIComponent(name)}`));
  }

  /** Creates a volume, or returns the one that has the name already, with its own labels. */
  createVolume(caller: Caller, Name: string, Labels: Readonly<Record<string, string>>): Promise<VolumeSummary> {
    return this.change(caller, 'POST', '/volumes/create', { body: { Name, Labels } });
  }
}

/** Returns the memory in use without files that the kernel can drop, in MiB. */
export function memoryMbOf({ memory_stats: { usage = 0, stats = {} } }: StatsSample): number {
  return Math.max(0, usage - (stats.total_inactive_file ?? stats.inactive_file ?? 0)) / megabyte;
}

/**
 * Computes the CPU cores in use as CPU time divided by the time between the engine's two samples; the engine's own `system_cpu_usage` would
 * result in a share of the host. Returns undefined for a container that does not run, for which the engine reports zeros without a time.
 */
export function containerStats(sample: StatsSample): ContainerStats | undefined {
  if (sample.read.startsWith('0001-')) return undefined;
  const elapsedNs = (Date.parse(sample.read) - Date.parse(sample.preread)) * 1e6;
  const usedNs = sample.cpu_stats.cpu_usage.total_usage - sample.precpu_stats.cpu_usage.total_usage;
  const comparable = elapsedNs > 0 && elapsedNs < 60e9 && usedNs >= 0;
  return {
    cpuCores: comparable ? usedNs / elapsedNs : 0,
    memoryMb: memoryMbOf(sample),
    at: sample.read,
  };
}
