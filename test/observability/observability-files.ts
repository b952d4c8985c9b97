import { dashboards } from './dashboards.js';
import { metricsOfProcesses } from './declared-metrics.js';
import { METRICS_PAGE, metricsPage } from './metrics-page.js';
import { grafanaDocument } from './panels.js';

/** Returns the generated files of observability, before they are formatted: their content by their path in the repository. */
export async function observabilityFiles(): Promise<ReadonlyMap<string, string>> {
  const files = new Map([[METRICS_PAGE, metricsPage(await metricsOfProcesses())]]);
  for (const dashboard of dashboards)
    files.set(`deploy/observability/grafana/${dashboard.uid}.json`, JSON.stringify(grafanaDocument(dashboard)));
  return files;
}

/** Returns the text without what formatting changes. */
export const unformatted = (path: string, text: string): string =>
  path.endsWith('.json') ? JSON.stringify(JSON.parse(text)) : text.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---');
