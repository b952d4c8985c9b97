import { dashboards } from './dashboards.js';
import { alertRules, recordingRules } from './alert-rules.js';

/** An expression that must find series in a running product. */
export interface Expression {
  readonly of: string;
  readonly expr: string;
}

/** Returns the expressions of panels and recording rules as Grafana and Prometheus send them. */
export function shownExpressions(): readonly Expression[] {
  const panels = dashboards.flatMap(({ title, rows }) =>
    rows.flatMap(row =>
      row.panels.flatMap(panel =>
        panel.queries.map(({ expr }) => ({
          of: `${title}, ${panel.title}`,
          expr: expr.replaceAll('$__rate_interval', '2m'),
        })),
      ),
    ),
  );
  return [...panels, ...recordingRules().map(({ record, expr }) => ({ of: record, expr }))];
}

const SELECTOR = /\b(?:(?:stave|nodejs|process)_\w+|up)\b(?:\{[^}]*\})?/g;

/**
 * Returns the selectors of the alerts. What an alert waits for, such as a status 5xx, does not happen in a sound product: so a label is asked
 * for with any value. `shown`: whether the product shows any series of the metric.
 */
export function alertSelectors(shown: (metric: string) => boolean): readonly Expression[] {
  return alertRules().flatMap(({ alert, expr }) =>
    [...expr.matchAll(SELECTOR)]
      .filter(([selector]) => shown(selector.replace(/\{.*/, '')))
      .map(([selector]) => ({
        of: alert,
        expr: `last_over_time(${selector.replaceAll(/(\w+)(?:=~|!~|=|!=)"[^"]*"/g, '$1!=""')}[10m])`,
      })),
  );
}
