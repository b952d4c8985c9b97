import { delimiter } from 'node:path';
import { driverNames } from '@stave/driver-sdk';
import { builtInDrivers } from '../built-in-drivers.js';
import { BadArgumentsError, natsPermissions, USAGE } from './nats-permissions.js';

const HELP: ReadonlySet<string> = new Set(['--help', '-h']);

async function run([command = '', ...args]: readonly string[]): Promise<string> {
  if (command === 'help' || [command, ...args].some(argument => HELP.has(argument))) return USAGE;
  if (command !== 'nats-permissions') throw new BadArgumentsError('the command is nats-permissions');
  const others = (process.env['DRIVERS_PATH'] ?? '').split(delimiter).filter(path => path !== '');
  const drivers = await driverNames([builtInDrivers, ...others]);
  return natsPermissions(args, { pinned: process.env['RING_KEY_PIN'] === 'true', drivers });
}

run(process.argv.slice(2)).then(
  text => console.log(text),
  (error: unknown) => {
    if (!(error instanceof BadArgumentsError)) throw error;
    console.error(`${error.message}\n\n${USAGE}`);
    process.exitCode = 2;
  },
);
