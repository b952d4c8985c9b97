import { declaredMetrics, type DeclaredMetric } from '@stave/platform';

/** The metrics of the product by the processes that have them. */
export interface ProcessMetrics {
  readonly processes: string;
  readonly metrics: readonly DeclaredMetric[];
}

/** Each module declares its metrics when it is loaded; a library is loaded before those that use it. */
const sources: readonly (readonly [processes: string, load: () => Promise<unknown>])[] = [
  ['Every process', () => import('@stave/platform')],
  ['Services', () => import('@stave/service-kit')],
  ['cluster-service', () => import('@stave/cluster-service')],
  ['container-scheduler', () => import('@stave/container-scheduler')],
  ['conductor', () => import('@stave/conductor')],
  ['api-gateway', () => import('@stave/api-gateway')],
];

/** Returns every metric once. To be called before anything else has loaded these libraries. */
export async function metricsOfProcesses(): Promise<readonly ProcessMetrics[]> {
  const found: ProcessMetrics[] = [];
  for (const [processes, load] of sources) {
    const before = new Set(found.flatMap(({ metrics }) => metrics));
    await load();
    found.push({ processes, metrics: declaredMetrics().filter(metric => !before.has(metric)) });
  }
  return found;
}
