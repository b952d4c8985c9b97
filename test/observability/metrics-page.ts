import { join } from 'node:path';
import type { ProcessMetrics } from './declared-metrics.js';

export const METRICS_PAGE = join('docs', 'reference', 'metrics.md');

const head = `# Metrics

Every process shows these metrics at \`/metrics\`: the gateway at its own port, without a key, services and conductors at their health port. The
product in one process shows those of all at the port of the gateway. No label has a project, a name or an id as its value. Each process
also shows \`process_…\` and \`nodejs_…\` of Node.js. [Observe Stave](../operate/observe.md) says what to watch, [alerts](../operate/alerts.md) what to do.

This page is written by \`npm run observability\` from the declarations in the code.
`;

const row = ({ name, type, labels, help }: ProcessMetrics['metrics'][number]): string =>
  `| \`${name}\` | ${type} | ${labels.map(label => `\`${label}\``).join(', ')} | ${help} |`;

/** Returns docs/reference/metrics.md, before it is formatted. */
export function metricsPage(all: readonly ProcessMetrics[]): string {
  const sections = all.map(({ processes, metrics }) => {
    const rows = metrics.toSorted((a, b) => a.name.localeCompare(b.name)).map(row);
    return [`## ${processes}`, '', '| metric | type | labels | meaning |', '| --- | --- | --- | --- |', ...rows].join(
      '\n',
    );
  });
  return [head, ...sections, ''].join('\n').replaceAll('\n## ', '\n\n## ').replaceAll('\n\n\n', '\n\n');
}
