import { BadArgumentsError, natsPermissions, USAGE } from './nats-permissions.js';

const [, , command, ...args] = process.argv;
try {
  if (command !== 'nats-permissions') throw new BadArgumentsError('the command is nats-permissions');
  console.log(natsPermissions(args, { pinned: process.env['RING_KEY_PIN'] === 'true' }));
} catch (error) {
  if (!(error instanceof BadArgumentsError)) throw error;
  console.error(`${error.message}\n\n${USAGE}`);
  process.exitCode = 2;
}
