import { createLogger, type Logger, BadEnvironmentError, serveHealth } from '@stave/platform';
import type { RunningService } from './start-service.js';
import type { ServicePorts } from './ports.js';
import { openPorts } from './open-ports.js';
import type { ServiceConfig } from './service.environment.js';

/** What of `process` a service's process needs. */
export interface ProcessHandle {
  on(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
  exit(code: number): void;
  readonly stderr: { write(text: string): unknown };
}

/**
 * A service in a process of its own, until SIGTERM or SIGINT: health, requests, stores and connections are closed in this
 * order and the process ends with 0; at a second signal, or when something fails, at once with 1.
 */
export function runService<C extends ServiceConfig>(
  name: string,
  read: () => C,
  create: (ports: ServicePorts, config: C) => Promise<RunningService>,
  process: ProcessHandle,
): void {
  start(name, read, create, process).catch((error: unknown) => {
    const text = error instanceof BadEnvironmentError ? error.problems.join('\n') : String(error);
    process.stderr.write(`${text}\n`);
    process.exit(1);
  });
}

async function start<C extends ServiceConfig>(
  name: string,
  read: () => C,
  create: (ports: ServicePorts, config: C) => Promise<RunningService>,
  process: ProcessHandle,
): Promise<void> {
  const config = read();
  const log = createLogger(name, config.logLevel);
  const ports = await openPorts(name, config.ports, log);
  const service = await create({ ...ports, ringUser: config.ringUser, onFatal: () => process.exit(1) }, config);
  const health = config.health.port === 0 ? undefined : await serveHealth(config.health, () => ports.ping());
  log.info('ready');
  onSignals(log, process, async () => {
    await health?.close();
    await service.close();
    await ports.close();
  });
}

function onSignals(log: Logger, process: ProcessHandle, stop: () => Promise<void>): void {
  let reported = false;
  const handle = (): void => {
    if (reported) return process.exit(1);
    reported = true;
    log.info('stopping');
    stop().then(
      () => process.exit(0),
      (err: unknown) => {
        log.error({ err }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', handle);
  process.on('SIGINT', handle);
}
