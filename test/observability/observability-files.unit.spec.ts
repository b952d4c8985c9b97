import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@stave/testing';
import { metricsOfProcesses } from './declared-metrics.js';
import { observabilityFiles, unformatted } from './observability-files.js';

it('the page of metrics and the dashboards are current; `npm run observability` writes them', async () => {
  const files = await observabilityFiles();
  expect(files.size).toBeGreaterThan(3);
  for (const [path, text] of files) {
    const kept = readFileSync(join(repositoryRoot(), path), 'utf8');
    expect([path, unformatted(path, kept)]).toEqual([path, unformatted(path, text)]);
  }
});

it('metrics have the names that Prometheus asks for, a meaning, and no label that could be a project, a name or an id', async () => {
  const all = (await metricsOfProcesses()).flatMap(({ metrics }) => metrics);
  expect(all.length).toBeGreaterThan(30);
  for (const { name, type, labels, help } of all) {
    expect(name).toMatch(/^stave_[a-z_]+$/);
    expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
    if (type === 'histogram') expect(name).toMatch(/_seconds$/);
    expect([name, help.length > 10]).toEqual([name, true]);
    expect(labels.filter(label => /project|cluster|name|id$|user|key|group|conductor/i.test(label))).toEqual([]);
  }
});
