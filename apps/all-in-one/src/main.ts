import 'reflect-metadata';
import { readSettings } from './all-in-one.config.js';
import { startAllInOne } from './start-all-in-one.js';

async function main(): Promise<void> {
  const stave = await startAllInOne(readSettings(process.env), () => process.exit(1));
  console.log(
    `Stave is ready at ${stave.url} (drivers: ${stave.drivers.join(', ')}); the administrator's key is in ${stave.adminKeyFile}`,
  );
  let closing = false;
  const stop = (): void => {
    if (closing) return;
    closing = true;
    stave.close().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
