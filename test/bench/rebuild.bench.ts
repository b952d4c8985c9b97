import 'reflect-metadata';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { EmbeddedEventStore } from '@stave/platform';
import { mustBe, report, run } from './bench-report.js';
import { grownLog, pages } from './grown-log.js';
import type { Built, BuildOrder } from './rebuild.process.js';

/**
 * `npm run bench -- rebuild` measures how the services build their read models from a log of 1,000,000 events (or the number given as
 * argument): read, decoded, evolved to states and written as documents, each in a separate process. Baseline: only reading and decoding that
 * log.
 */
const wanted = Number(process.argv.find(argument => /^\d+$/.test(argument)) ?? 1_000_000);
const services = ['cluster-service', 'nodegroup-service', 'container-scheduler'];

async function raw(directory: string): Promise<{ perSecond: number; cpuPerSecond: number }> {
  const store = await EmbeddedEventStore.open({ directory });
  const began = { at: performance.now(), cpu: process.cpuUsage() };
  let events = 0;
  for await (const page of pages(store)) events += page.length;
  const seconds = (performance.now() - began.at) / 1000;
  const { user, system } = process.cpuUsage(began.cpu);
  await store.close();
  return { perSecond: events / seconds, cpuPerSecond: events / ((user + system) / 1e6) };
}

async function build(order: BuildOrder): Promise<Built> {
  const flags = process.execArgv.filter(flag => !flag.startsWith('--cpu-prof'));
  const profile = process.argv.includes('--profile') ? ['--cpu-prof', '--cpu-prof-dir=/tmp'] : [];
  const child = fork(join(__dirname, 'rebuild.process.js'), {
    execArgv: [...flags, '--max-old-space-size=12000', ...profile],
  });
  child.send(order);
  const [built]: [Built] = (await once(child, 'message')) as [Built];
  await once(child, 'exit');
  return built;
}

run(async () => {
  const { product, directory, events, clusters, nodes } = await grownLog({
    atLeast: { events: wanted },
    perCluster: 500,
    cordons: 3,
  });
  try {
    const baseline = await raw(directory);
    const alone = await build({ directory, services: ['nodegroup-service'] });
    const all = await build({ directory, services });
    const again = await build({ directory, services });
    mustBe(all.hash === again.hash, `the same documents: ${all.hash} and ${again.hash}`);
    for (const { hash, rebuiltHash } of [alone, all, again])
      mustBe(hash === rebuiltHash, 'the read models rebuilt while they were served are the same');
    mustBe(all.documents > nodes, `${all.documents} documents for ${nodes} nodes`);
    const perCore = { unit: 'events/s', target: '>= 50,000/s', baseline: baseline.perSecond };
    report('rebuild', 'embedded', { events, clusters, nodes, documents: all.documents, hash: all.hash }, [
      { figure: 'nodegroup-service alone', value: events / alone.seconds, ...perCore },
      {
        figure: 'nodegroup-service alone, per second of CPU',
        value: events / alone.cpu,
        ...perCore,
        baseline: baseline.cpuPerSecond,
      },
      { figure: 'all three services', value: events / again.seconds, ...perCore },
      {
        figure: 'all three services, per second of CPU',
        value: events / again.cpu,
        ...perCore,
        baseline: baseline.cpuPerSecond,
      },
      { figure: 'events of all services handled', value: (events * 3) / again.seconds, unit: 'events/s' },
      {
        figure: 'rebuilt by command while they are served',
        value: again.documents / again.rebuildSeconds,
        unit: 'documents/s',
      },
      { figure: 'memory of the three', value: again.rssMb, unit: 'MB' },
    ]);
  } finally {
    await product.remove();
  }
});
