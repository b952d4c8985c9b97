import 'reflect-metadata';
import { mustBe, report, run, type Figure } from './bench-report.js';
import { startProduct } from './distributed-product.js';
import { HistoryClient, type Version } from './history-client.js';

/**
 * `npm run bench -- history [distributed] [changes=n]` measures one cluster with 10,000 events: reading it at random past times (every
 * answer is compared with the answer at that time), the difference between two revisions, a change, and a repeated change with an
 * early idempotency key. Baseline: GET of the current cluster.
 */
const args = process.argv.slice(2);
const changes = Number(args.find(arg => arg.startsWith('changes='))?.slice('changes='.length) ?? 10_000);
const SAMPLES = 200;
const TARGET = '<= 100 ms';

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

async function times(count: number, work: () => Promise<void>): Promise<readonly number[]> {
  const taken: number[] = [];
  for (let i = 0; i < count; i++) {
    const started = performance.now();
    await work();
    taken.push(performance.now() - started);
  }
  return taken.sort((a, b) => a - b);
}

function figures(name: string, taken: readonly number[]): Figure[] {
  return [
    { figure: `${name}, median`, value: percentile(taken, 0.5), unit: 'ms', target: TARGET },
    { figure: `${name}, worst of ${taken.length}`, value: percentile(taken, 1), unit: 'ms', target: TARGET },
  ];
}

run(async () => {
  const product = await startProduct(args);
  try {
    const client = new HistoryClient(product.url, product.key);
    const id = await client.create();
    const started = performance.now();
    const versions = await client.change(id, changes);
    const perSecond = (changes / (performance.now() - started)) * 1000;
    const any = (): Version => {
      const version = versions[Math.floor(Math.random() * versions.length)];
      if (!version) throw new Error('the cluster has no recorded change to read');
      return version;
    };
    const at = async (moment: (of: Version) => string | number, of = any()): Promise<void> => {
      const shown = await client.at(id, moment(of));
      mustBe(shown.description === of.description && shown.revision === of.revision, `the state at ${moment(of)}`);
    };
    const now = await times(SAMPLES, async () => void (await client.get(id)));
    const byRevision = await times(SAMPLES, () => at(({ revision }) => revision));
    const alone = versions.filter(({ updatedAt }, i) => versions[i + 1]?.updatedAt !== updatedAt);
    const byTime = await times(SAMPLES, () =>
      at(({ updatedAt }) => updatedAt, alone[Math.floor(Math.random() * alone.length)]),
    );
    const diff = await times(SAMPLES, async () => {
      const [from, to] = [any(), any()].sort((a, b) => a.revision - b.revision);
      const changed = await client.diff(id, from?.revision ?? 0, to?.revision ?? 0);
      mustBe(changed === (to?.description !== from?.description), 'the difference');
    });
    const patch = await times(50, async () => void (await client.change(id, 1)));
    const repeat = await times(50, () => client.repeatFirst(id));
    report('history', product.adapters, { events: changes, changesPerSecond: Math.round(perSecond) }, [
      { figure: 'now, median', value: percentile(now, 0.5), unit: 'ms' },
      ...figures('at a revision', byRevision),
      ...figures('at a time', byTime),
      ...figures('diff of two revisions', diff),
      ...figures('change', patch),
      ...figures('repeat of the first change', repeat),
    ]);
  } finally {
    await product.close();
    await product.remove();
  }
});
