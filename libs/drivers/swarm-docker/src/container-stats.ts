import type { ContainerStats } from '@stave/driver-sdk';
import type { StatsSample } from './engine-types.js';

const megabyte = 2 ** 20;

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
    memoryMb: (sample.memory_stats.usage ?? 0) / megabyte,
    at: sample.read,
  };
}
