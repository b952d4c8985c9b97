import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { BadEnvironmentError, connectNats, createLogger, type Logger } from '@stave/platform';
import { conductorConfig } from './config/conductor.config.js';
import { createConductor } from './create-conductor.js';

/** Runs a conductor in its own process. Exits with 0 after it was drained or stopped, with 1 when it could not start. */
async function main(): Promise<void> {
  const { nats, logLevel, ...settings } = conductorConfig(process.env, resolve(__dirname, '../../../libs/drivers'));
  const { version: release }: { version: string } = JSON.parse(
    readFileSync(resolve(__dirname, '../package.json'), 'utf8'),
  );
  const log = createLogger('conductor', logLevel);
  const messaging = await connectNats({
    ...nats,
    name: `conductor ${settings.id}`,
    onError: (err, subject) => log.debug({ err, subject }, 'message handler failed'),
    onConnected: connected => log.info({ connected }, 'connection to NATS'),
  });
  const conductor = await createConductor({ ...settings, release, messaging, env: process.env, log });
  onSignals(log, () => conductor.stop());
  await conductor.start();
  await conductor.stopped();
  await messaging.close();
}

/** The first signal stops the conductor gracefully, a second one stops the process at once. */
function onSignals(log: Logger, stop: () => Promise<void>): void {
  let isStopping = false;
  const handle = (signal: NodeJS.Signals): void => {
    if (isStopping) process.exit(1);
    isStopping = true;
    log.info({ signal }, 'stopping');
    stop().catch((err: unknown) => log.error({ err }, 'the conductor could not be stopped gracefully'));
  };
  process.on('SIGTERM', handle);
  process.on('SIGINT', handle);
}

main().catch((error: unknown) => {
  const text = error instanceof BadEnvironmentError ? error.problems.join('\n') : String(error);
  process.stderr.write(`${text}\n`);
  process.exit(1);
});
