import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeOn, prometheusMissing, prometheusProgram, repositoryRoot } from '@stave/testing';
import { alertRules, RULES, ruleTests } from './alert-rules.js';

describe('the alerts', () => {
  it('each have a runbook with their name as its heading, and a severity', () => {
    const rules = alertRules();
    expect(rules.length).toBeGreaterThan(20);
    for (const { alert, annotations, labels } of rules) {
      const [page = '', anchor] = annotations.runbook_url.split('#');
      expect([alert, anchor]).toEqual([alert, alert.toLowerCase()]);
      expect(readFileSync(join(repositoryRoot(), page), 'utf8')).toMatch(new RegExp(`^### ${alert}$`, 'm'));
      expect(['info', 'warning', 'critical']).toContain(labels.severity);
    }
  });

  it('are each tested to fire and to keep still', () => {
    const cases = ruleTests().flatMap(({ alert_rule_test }) => alert_rule_test);
    const named = (fires: boolean): string[] =>
      cases.filter(({ exp_alerts }) => exp_alerts.length > 0 === fires).map(({ alertname }) => alertname);
    const names = alertRules().map(({ alert }) => alert);
    expect(named(true)).toEqual(names);
    expect(named(false)).toEqual(names);
  });
});

describeOn(prometheusMissing(), 'with promtool', () => {
  const promtool = (...args: string[]): string =>
    execFileSync(prometheusProgram('promtool') ?? '', args, { encoding: 'utf8', cwd: RULES });

  it('the rules are valid', () => {
    expect(promtool('check', 'rules', 'alerts.yaml', 'recording.yaml')).not.toContain('FAILED');
  });

  it('each alert fires when it should, and keeps still otherwise', () => {
    expect(promtool('test', 'rules', 'alerts.test.yaml')).toContain('SUCCESS');
  });
});
