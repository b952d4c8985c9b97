import { resolve } from 'node:path';
import { conductorInbox } from '@stave/contracts';
import { createLogger, judgeTransport } from '@stave/platform';
import { connectMessaging, release, runProcess } from '@stave/service-kit';
import { conductorConfig } from './config/conductor.config.js';
import { AttemptLogFile } from './work/attempt-log-file.js';
import { createConductor } from './create-conductor.js';

/** Runs a conductor in its own process, which ends with 0 after the conductor was drained, too. */
runProcess(process, async () => {
  const { nats, tls, logLevel, ...settings } = conductorConfig(
    process.env,
    resolve(__dirname, '../../../libs/drivers'),
  );
  const log = createLogger('conductor', logLevel);
  judgeTransport({ nats }, tls.required, log);
  const own = { ...nats, inbox: conductorInbox(settings.group) };
  const messaging = await connectMessaging(`conductor ${settings.id}`, own, log, 'debug');
  const attempts = AttemptLogFile.open(settings.dataDir, settings.id);
  const parts = { release: release(), messaging, env: process.env, log, attempts };
  const conductor = await createConductor({ ...settings, ...parts });
  await conductor.start();
  const closed = conductor.stopped().then(() => messaging.close());
  const stop = async (): Promise<void> => {
    await conductor.stop();
    await closed;
  };
  return { log, stop };
});
