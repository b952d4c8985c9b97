import 'reflect-metadata';
import { pageAddresses } from '@stave/api-gateway';
import { defaultTimes } from '@stave/conductor';
import { createLogger, startTracing } from '@stave/platform';
import { runProcess } from '@stave/service-kit';
import { readSettings } from './all-in-one.config.js';
import { startAllInOne } from './start-all-in-one.js';

runProcess(process, async () => {
  const settings = readSettings(process.env);
  const log = createLogger('stave', settings.logLevel);
  const tracing = await startTracing('stave', settings.tracesTo, log);
  const { url, drivers, adminKeyFile, stopSteps } = await startAllInOne(settings, () => process.exit(1));
  // programs read the first line
  console.log(
    `Stave is ready at ${url} (drivers: ${drivers.join(', ')}); the administrator's key is in ${adminKeyFile}\n${pageAddresses(url)}`,
  );
  return { log, drainMs: defaultTimes.stopGraceMs, stop: [...stopSteps, ['spans', () => tracing.close()]] };
});
