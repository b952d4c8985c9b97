import { checkDriver } from './check-driver.js';

/** `npm run driver:check -- <directory>`: ends with 1 when the driver does not keep the contract. */
async function main([directory]: readonly string[]): Promise<void> {
  if (directory === undefined) {
    console.error('which driver? npm run driver:check -- <directory>');
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
