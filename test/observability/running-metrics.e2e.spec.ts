import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { declaredMetrics } from '@stave/platform';
import { describeOn, eventually, prometheusMissing, natsNotRestartable, startPrometheus } from '@stave/testing';
import { Fleet } from '../e2e/fleet.js';
import { startDistributed, type DistributedStack } from '../distributed/stack.js';
import { RULES } from './alert-rules.js';
import { metricsOfProcesses } from './declared-metrics.js';
import { alertSelectors, shownExpressions, type Expression } from './expressions.js';
import { useProduct } from './metric-load.js';
import { ScrapedMetrics } from './scraped-metrics.js';

jest.setTimeout(600_000);

/** What a sound product does not show, with the tests that make it happen. */
const elsewhere: Readonly<Record<string, string>> = {
  stave_newer_events_total: 'test/fault/services/rolling-upgrade',
  stave_mass_loss_suspected_nodes: 'test/fault/services/mass-loss',
  stave_mass_loss_suspected_containers: 'test/fault/services/mass-loss',
  stave_read_model_lag_seconds: 'libs/service-kit/src/read-models/write-lag.unit.spec.ts',
  stave_read_model_failures_total: 'test/fault/services/document-store-away',
  stave_orphans_removed_total: 'apps/conductor/src/sweep/orphan-sweep.int.spec.ts',
  stave_conductor_stale_reports: 'test/fault/conductor',
  stave_tracing_problems_total: 'test/observability/refusing-collector',
};

describeOn(prometheusMissing() ?? natsNotRestartable(), 'metrics of a running product', () => {
  let dataDir: string;
  let stack: DistributedStack;
  let targets: readonly string[];

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'stave-observed-'));
    stack = await startDistributed({
      dataDir,
      conductors: [
        { id: 'one', group: '' },
        { id: 'two', group: '' },
      ],
    });
    const health = [...stack.processes.values()].flatMap(process => process.setting('HEALTH_PORT') ?? []);
    targets = [new URL(stack.url).host, ...health.map(port => `127.0.0.1:${port}`)];
  });
  afterAll(async () => {
    await stack.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('services and conductors are ready at their health ports', async () => {
    const health = targets.slice(1);
    expect(health).toHaveLength(5);
    // a conductor is listed before the answer to its registration has reached it
    await eventually(
      async () => {
        const answers = await Promise.all(health.map(target => fetch(`http://${target}/readyz`)));
        return answers.every(({ status }) => status === 200);
      },
      { what: 'services and conductors are ready' },
    );
  });

  it('every metric moves, no label has the name or the id of anything, and each expression finds series in Prometheus', async () => {
    const prometheus = await startPrometheus(configurationOf(targets));
    const scraped = new ScrapedMetrics(targets.map(target => `http://${target}`));
    try {
      scraped.start();
      await useProduct(stack);
      await breakConnections(scraped);
      await scraped.stop();
      await metricsOfProcesses();
      const expected = declaredMetrics().map(({ name }) => name);
      expect(expected.filter(name => !scraped.moved.has(name) && !(name in elsewhere))).toEqual([]);
      expect([...scraped.labels].filter(label => UUID.test(label) || label === 'one')).toEqual([]);
      await eachFindsSeries(prometheus.url, [
        ...shownExpressions(),
        ...alertSelectors(metric => metric !== 'stave_newer_events_total'),
      ]);
      expect(await unhealthyRules(prometheus.url)).toEqual([]);
    } finally {
      await scraped.stop();
      await prometheus.stop();
    }
  });

  /** NATS and the event store end while nodes are built, and are started again. */
  async function breakConnections({ moved }: ScrapedMetrics): Promise<void> {
    await new Fleet(stack).ask({}, [{ count: 80 }]);
    await stack.nats.restart();
    const store = stack.process('event-store');
    await store.kill();
    const fails = (): boolean => moved.has('stave_reconcile_failures_total');
    await eventually(fails, { timeoutMs: 60_000, what: 'reconcilers fail without the event store' });
    await store.start();
    const works = async (): Promise<boolean> => (await stack.rest.get('/v1/clusters?limit=1')).status === 200;
    await eventually(works, { timeoutMs: 60_000, what: 'the product answers again' });
  }
});

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-/;

const configurationOf = (targets: readonly string[]): string =>
  JSON.stringify({
    global: { scrape_interval: '2s', scrape_timeout: '2s', evaluation_interval: '5s' },
    rule_files: [join(RULES, 'alerts.yaml'), join(RULES, 'recording.yaml')],
    scrape_configs: [{ job_name: 'stave', static_configs: [{ targets }] }],
  });

async function asked<T>(url: string): Promise<T> {
  const { data } = (await (await fetch(url)).json()) as { readonly data: T };
  return data;
}

/** Series that say something: `0/0` is none. */
async function seriesOf(url: string, expr: string): Promise<number> {
  const query = `${url}/api/v1/query?query=${encodeURIComponent(expr)}`;
  const { result } = await asked<{ readonly result: readonly { readonly value: readonly [number, string] }[] }>(query);
  return result.filter(({ value }) => value[1] !== 'NaN').length;
}

async function eachFindsSeries(url: string, expressions: readonly Expression[]): Promise<void> {
  let missing: readonly string[] = [];
  const complete = async (): Promise<boolean> => {
    const found = await Promise.all(expressions.map(async ({ expr }) => (await seriesOf(url, expr)) > 0));
    missing = expressions.filter((_, i) => !found[i]).map(({ of, expr }) => `${of}: ${expr}`);
    return missing.length === 0;
  };
  await eventually(complete, { timeoutMs: 30_000, what: 'each expression finds series' }).catch(() => undefined);
  expect(missing).toEqual([]);
}

interface RuleGroups {
  readonly groups: readonly { readonly rules: readonly { readonly name: string; readonly health: string }[] }[];
}

async function unhealthyRules(url: string): Promise<readonly string[]> {
  const { groups } = await asked<RuleGroups>(`${url}/api/v1/rules`);
  return groups.flatMap(({ rules }) => rules.filter(({ health }) => health !== 'ok').map(({ name }) => name));
}
