import { checkDriver } from './check-driver.js';

/** Implements `npm run driver:check -- <directory>`. Exits with 1 when the driver does not conform to the contract. */
async function main([directory]: readonly string[]): Promise<void> {
  if (directory === undefined) {
    console.error('name the directory of the driver: npm run driver:check -- <directory>');
    process.exit(2);
  }
  const { ok, text } = await checkDriver(directory);
  console.log(text);
  process.exit(ok ? 0 : 1);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
