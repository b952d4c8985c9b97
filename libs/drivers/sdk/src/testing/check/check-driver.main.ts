import { parseArgs } from 'node:util';
import { checkDriver } from './check-driver.js';

const usage = 'npm run driver:check -- <directory> [--load-only]';

/** Implements `npm run driver:check`. Exits with 1 when the driver does not conform to the contract. */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { 'load-only': { type: 'boolean' } } });
  const [directory] = positionals;
  if (directory === undefined) {
    console.error(`name the directory of the driver: ${usage}`);
    process.exit(2);
  }
  const { ok, text } = await checkDriver(directory, { loadOnly: values['load-only'] === true });
  console.log(text);
  process.exit(ok ? 0 : 1);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
