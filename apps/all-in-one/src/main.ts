import 'reflect-metadata';
import { readSettings } from './all-in-one.config.js';
import { runUntilSignal } from './run-until-signal.js';
import { startAllInOne } from './start-all-in-one.js';

runUntilSignal(async () => {
  const { url, drivers, adminKeyFile, close } = await startAllInOne(readSettings(process.env), () => process.exit(1));
  console.log(
    `Stave is ready at ${url} (drivers: ${drivers.join(', ')}); the administrator's key is in ${adminKeyFile}`,
  );
  return close;
});
