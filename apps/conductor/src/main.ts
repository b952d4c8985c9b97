import { resolve } from 'node:path';
import { conductorInbox, conductorPermissions, neededOnNats } from '@stave/contracts';
import { createLogger, judgeTransport, openCertificate, startTracing } from '@stave/platform';
import { connectMessaging, release, runProcess } from '@stave/service-kit';
import { conductorConfig } from './config/conductor.config.js';
import { AttemptLogFile } from './work/attempt-log-file.js';
import { createConductor } from './create-conductor.js';
import { serveConductorHealth } from './serve-conductor-health.js';

/** Runs a conductor in its own process, which ends with 0 after the conductor was drained, too. */
runProcess(process, async () => {
  const { nats, health, tls, tracesTo, logLevel, ...settings } = conductorConfig(
    process.env,
    resolve(__dirname, '../../../libs/drivers'),
  );
  const log = createLogger('conductor', logLevel);
  const served = health.port === 0 ? {} : { certFile: tls.files?.certFile ?? '' };
  judgeTransport({ ...served, nats }, tls.required, log);
  const tracing = await startTracing('conductor', tracesTo, log);
  const certificate = openCertificate(tls.files, log);
  const { group, drivers, keyMode } = settings;
  const permissions = conductorPermissions(
    group,
    drivers.enabled.map(name => name.split('@')[0] ?? ''),
  );
  // the keys of a pinned ring have no group
  const needs = keyMode === 'pinned' ? {} : { needs: neededOnNats(permissions) };
  const own = { ...nats, ...needs, inbox: conductorInbox(group) };
  const messaging = await connectMessaging(`conductor ${settings.id}`, own, log, 'debug');
  const attempts = AttemptLogFile.open(settings.dataDir, settings.id);
  const parts = { release: release(), messaging, env: process.env, log, attempts };
  const conductor = await createConductor({ ...settings, ...parts });
  await conductor.start();
  const healthServer = await serveConductorHealth(health, conductor, messaging, certificate);
  const closed = conductor.stopped().then(async () => {
    await healthServer?.close();
    certificate?.close();
    await messaging.close();
    await tracing.close();
  });
  return {
    log,
    drainMs: settings.times.stopGraceMs,
    stop: [
      ['tasks in progress', () => conductor.stop()],
      ['health port and connections', () => closed],
    ],
  };
});
