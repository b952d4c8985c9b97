import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, ServerProcess } from './server-process.js';
import { findProgram } from './servers.config.js';

/** Returns the program `prometheus` or `promtool`; undefined when there is none. */
export const prometheusProgram = (name: 'prometheus' | 'promtool'): string | undefined =>
  findProgram(undefined, join('prometheus', name), name);

/** Returns why tests with Prometheus are skipped; undefined when they run. */
export const prometheusMissing = (): string | undefined =>
  prometheusProgram('prometheus') && prometheusProgram('promtool')
    ? undefined
    : 'no prometheus: run scripts/install-test-servers.sh';

export interface PrometheusServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a Prometheus with this configuration (YAML) and an empty store. Rejects when there is no program. */
export async function startPrometheus(configuration: string): Promise<PrometheusServer> {
  const program = prometheusProgram('prometheus');
  if (program === undefined) throw new Error(prometheusMissing());
  const folder = await mkdtemp(join(tmpdir(), 'stave-prometheus-'));
  const port = await freePort();
  const file = join(folder, 'prometheus.yml');
  await writeFile(file, configuration);
  const args = [
    `--config.file=${file}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  const server = new ServerProcess(program, args, port);
  await server.start();
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
