import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@stave/testing';
import { parse } from 'yaml';

/** The directory of the rules. */
export const RULES = join(repositoryRoot(), 'deploy', 'observability', 'prometheus');

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook_url: string };
}

interface Rules<R> {
  readonly groups: readonly { readonly rules: readonly R[] }[];
}

/** A case of `promtool test rules`. */
interface RuleTest {
  readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts: readonly unknown[] }[];
}

const read = <T>(name: string): T => parse(readFileSync(join(RULES, name), 'utf8')) as T;

export const alertRules = (): readonly AlertRule[] =>
  read<Rules<AlertRule>>('alerts.yaml').groups.flatMap(({ rules }) => rules);

export const recordingRules = (): readonly { readonly record: string; readonly expr: string }[] =>
  read<Rules<{ readonly record: string; readonly expr: string }>>('recording.yaml').groups.flatMap(
    ({ rules }) => rules,
  );

export const ruleTests = (): readonly RuleTest[] =>
  read<{ readonly tests: readonly RuleTest[] }>('alerts.test.yaml').tests;
