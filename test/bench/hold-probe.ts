import { createServer } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * Loaded before a process by `--require`, measures how long its event loop is held. Each request to the port answers the longest hold, in
 * milliseconds, and the CPU time since the request before.
 */
const port = Number(process.env['HOLD_PROBE_PORT']);
const RESOLUTION_MS = 5;

const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();
let cpu = process.cpuUsage();
const server = createServer((_request, response) => {
  const heldMs = Math.max(0, delay.max / 1e6 - RESOLUTION_MS);
  const { user, system } = process.cpuUsage(cpu);
  delay.reset();
  cpu = process.cpuUsage();
  response.end(JSON.stringify({ heldMs, cpuMs: (user + system) / 1000 }));
});
server.listen(port, '127.0.0.1');
server.unref();
