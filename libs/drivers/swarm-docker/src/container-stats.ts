import type { ContainerStats } from '@stave/driver-sdk';
import type { StatsSample } from './engine-types.js';

const megabyte = 2 ** 20;

/**
 * Cores in use between the engine's two samples: CPU time over the time between them. (The engine's own `system_cpu_usage`
 * formula would give a share of the host.) Undefined of a container that does not run: the engine then tells zeros, taken at no time.
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
