import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { repositoryRoot } from '@stave/testing';

/** Records spans until several exports have failed, and prints the count; the SDK is an ES module, which Jest cannot load. */
const program = `
const { begin, createLogger, processMetrics, startTracing } = require('@stave/platform');
(async () => {
  const tracing = await startTracing('test', process.argv[1], createLogger('test', 'info'));
  const metrics = processMetrics();
  const work = setInterval(async () => {
    begin('work', {}).span.end();
    const [, count = '0'] = /stave_tracing_problems_total\\{level="error"\\} (\\d+)/.exec(await metrics.text()) ?? [];
    if (Number(count) < 3) return;
    clearInterval(work);
    console.log(count);
    await tracing.close();
    process.exit(0);
  }, 20);
})();
`;

const fast = { OTEL_BSP_SCHEDULE_DELAY: '20', OTEL_EXPORTER_OTLP_TIMEOUT: '200' };

async function run(endpoint: string) {
  const env = { ...process.env, ...fast };
  const args = ['-e', program, endpoint];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: repositoryRoot(), env });
  const lines = stderr.split('\n').filter(line => line.includes('traces are not exported completely'));
  return { count: Number(stdout), lines: lines.map(line => JSON.parse(line)) };
}

describe('a collector of traces that does not take spans', () => {
  it('that answers 400 is counted with each export, and named in one line of the log', async () => {
    const collector = createServer((_, response) => void response.writeHead(400).end('no')).listen(0, '127.0.0.1');
    await once(collector, 'listening');
    try {
      const { port } = collector.address() as AddressInfo;
      const { count, lines } = await run(`http://127.0.0.1:${port}`);
      expect(count).toBeGreaterThanOrEqual(3);
      expect(lines).toEqual([expect.objectContaining({ unsaid: 0, problem: expect.stringMatching(/400/) })]);
    } finally {
      collector.close();
      collector.closeAllConnections();
    }
  }, 120_000);

  it('that is not there is counted with each export, and named in one line of the log', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    taken.close();
    await once(taken, 'close');
    const { count, lines } = await run(`http://127.0.0.1:${port}`);
    expect(count).toBeGreaterThanOrEqual(3);
    expect(lines).toEqual([expect.objectContaining({ unsaid: 0, problem: expect.any(String) })]);
  }, 120_000);
});
