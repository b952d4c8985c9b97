import 'reflect-metadata';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { EmbeddedEventStore } from '@stave/platform';
import { freePort } from '@stave/testing';
import { ApiClient } from '../demo/api-client.js';
import { mustBe, report, run } from './bench-report.js';
import { everything, grownLog } from './grown-log.js';

/**
 * `npm run bench -- restart`: cold start of the product, process and all, on a log of 100,000 events: the history of one cluster of 500
 * nodes, copied under other ids. Yardstick of the same run: reading all events of that log and nothing else.
 */
const wanted = 100_000;
const perCluster = 500;

async function readRaw(directory: string): Promise<{ seconds: number; events: number }> {
  const started = performance.now();
  const store = await EmbeddedEventStore.open({ directory });
  const events = (await everything(store)).length;
  const seconds = (performance.now() - started) / 1000;
  await store.close();
  return { seconds, events };
}

interface Start {
  /** From the start of the process until it says that it is ready, and until it has answered a list. */
  readonly ready: number;
  readonly answered: number;
  readonly cpu: number;
}

/** CPU seconds of a process so far. */
async function cpuSeconds(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function coldStart(dataDir: string, key: string, clusters: number, flags: readonly string[]): Promise<Start> {
  const port = await freePort();
  const env = { ...process.env, PORT: String(port), DATA_DIR: dataDir, DRIVERS_ENABLED: 'fake', LOG_LEVEL: 'error' };
  const entry = join(__dirname, '..', '..', '..', 'apps', 'all-in-one', 'dist', 'main.js');
  const started = performance.now();
  const child = spawn(process.execPath, [...flags, entry], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) if (line.startsWith('Stave is ready')) break;
  const api = new ApiClient(`http://127.0.0.1:${port}`, key);
  const ready = (performance.now() - started) / 1000;
  const cpu = await cpuSeconds(child.pid ?? 0);
  const { total } = await api.get<{ total: number }>('/v1/nodes?limit=1&total=true');
  mustBe(total === clusters * perCluster, `${total} of ${clusters * perCluster} nodes are there after the start`);
  const answered = (performance.now() - started) / 1000;
  child.kill('SIGTERM');
  await once(child, 'exit');
  return { ready, answered, cpu };
}

run(async () => {
  const { product, directory, events, clusters } = await grownLog({ events: wanted, perCluster });
  try {
    const raw = await readRaw(directory);
    mustBe(raw.events === events && events >= wanted, `${raw.events} events are in the log`);
    const first = await coldStart(product.dataDir, product.key, clusters, process.argv.slice(2));
    const second = await coldStart(product.dataDir, product.key, clusters, []);
    report('restart', 'embedded, fake driver', { events, clusters, nodes: clusters * perCluster }, [
      { figure: 'cold start to ready', value: first.ready, unit: 's', target: '<= 2 s', yardstick: raw.seconds },
      { figure: 'cold start to the first list', value: first.answered, unit: 's' },
      { figure: 'CPU until ready', value: first.cpu, unit: 's' },
      { figure: 'again: to ready', value: second.ready, unit: 's', target: '<= 2 s', yardstick: raw.seconds },
      { figure: 'again: to the first list', value: second.answered, unit: 's' },
      { figure: 'again: CPU until ready', value: second.cpu, unit: 's' },
    ]);
  } finally {
    await product.remove();
  }
});
