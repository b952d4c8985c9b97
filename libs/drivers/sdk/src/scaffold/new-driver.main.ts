import { delimiter, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { newDriver, ScaffoldError } from './new-driver.js';

const root = join(__dirname, '..', '..', '..', '..', '..');
const usage =
  'npm run driver:new -- <name> [--from <driver>[@<version>]|<directory>] [--in <folder>] [--version <version>]';

/** Implements `npm run driver:new`, which creates a driver from the template or from another driver. */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { from: { type: 'string' }, in: { type: 'string' }, version: { type: 'string' } },
  });
  const [name] = positionals;
  if (name === undefined) throw new ScaffoldError(usage);
  const { from, in: parent, version } = values;
  const { directory, registered, older } = await newDriver({ name, root, from, parent, version });
  console.log(nextSteps(name, shown(directory), registered, older && shown(older)));
}

/** Returns the path relative to the working directory, if the directory is inside of it. */
function shown(directory: string): string {
  const from = relative(process.cwd(), directory);
  return from.startsWith('..') ? directory : from;
}

/** `older`: the directory of the older version, which operates the clusters that it built. */
function nextSteps(name: string, directory: string, registered: readonly string[], older?: string): string {
  const inside = registered.length > 0;
  const path = [...(older === undefined ? [] : [older]), directory].join(delimiter);
  const install = `  npm install    registers it in package-lock.json; ${registered.join(' and ')} are changed already`;
  return [
    `${directory} contains a driver that conforms to the contract. Next:`,
    ...(inside ? [install] : []),
    `  npm run driver:check -- ${directory}`,
    `  ${inside ? '' : `DRIVERS_PATH=${path} `}DRIVERS_ENABLED=${name} npm start`,
    'docs/contribute/write-a-driver.md explains what to write in which file.',
  ].join('\n');
}

main().catch((error: unknown) => {
  console.error(error instanceof ScaffoldError ? error.message : error);
  process.exit(1);
});
