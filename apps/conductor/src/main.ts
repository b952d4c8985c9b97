import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { connectNats, createLogger } from '@stave/platform';
import { runProcess } from '@stave/service-kit';
import { conductorConfig } from './config/conductor.config.js';
import { createConductor } from './create-conductor.js';

/** Runs a conductor in its own process, which ends with 0 after the conductor was drained, too. */
runProcess(process, async () => {
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
  await conductor.start();
  const closed = conductor.stopped().then(() => messaging.close());
  const stop = async (): Promise<void> => {
    await conductor.stop();
    await closed;
  };
  return { log, stop };
});
