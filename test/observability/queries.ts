import type { Panel, Query } from './panels.js';

export const rate = (metric: string, by: string, filter = ''): string =>
  `sum by (${by}) (rate(${metric}${filter}[$__rate_interval]))`;

export const quantile = (q: number, metric: string, by: string): string =>
  `histogram_quantile(${q}, sum by (${[by, 'le'].filter(Boolean).join(', ')}) (rate(${metric}_bucket[$__rate_interval])))`;

export const one = (title: string, about: string, unit: string, expr: string, legend: string): Panel => ({
  title,
  about,
  unit,
  queries: [{ expr, legend }],
});

/** Median and 99th percentile. */
export const times = (title: string, about: string, metric: string, by: string): Panel => ({
  title,
  about,
  unit: 's',
  queries: [0.5, 0.99].map((q): Query => ({
    expr: quantile(q, metric, by),
    legend: `p${q * 100} ${legendOf(by)}`.trim(),
  })),
});

const legendOf = (by: string): string =>
  by === ''
    ? ''
    : by
        .split(', ')
        .map(label => `{{${label}}}`)
        .join(' ');
