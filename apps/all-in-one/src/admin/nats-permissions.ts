import { parseArgs } from 'node:util';
import {
  conductorPermissions,
  leafPermissions,
  servicePermissions,
  serviceUsers,
  type MessagePermissions,
} from '@stave/contracts';

/** Lets a receiver answer once, within a time that is longer than any request waits. */
const ANSWERS = ['  allow_responses: { max: 1, expires: "5m" }'];

export const USAGE = [
  'stave-admin nats-permissions --group GROUP --drivers DRIVER[,DRIVER…] [--leaf]',
  `stave-admin nats-permissions --service ${serviceUsers.join('|')}`,
  'stave-admin --help',
  '',
  'Prints the permissions on NATS of a conductor with these drivers, of the leaf node that it is connected to, or of a service, for the configuration of nats-server.',
].join('\n');

/** What the permissions of this installation depend on. */
export interface Installation {
  /** Whether the keys of its ring have no group. */
  readonly pinned: boolean;
  /** The names of its drivers. */
  readonly drivers: readonly string[];
}

/** What the command cannot do with these arguments, in a sentence for people. */
export class BadArgumentsError extends Error {
  override readonly name = 'BadArgumentsError';
}

/** Returns the permissions of a conductor, a leaf node or a service for the configuration of nats-server. Throws BadArgumentsError. */
export function natsPermissions(args: readonly string[], { pinned, drivers: installed }: Installation): string {
  const { group, drivers = '', leaf = false, service } = parsed(args);
  if (service !== undefined && (group !== undefined || drivers !== '' || leaf))
    throw new BadArgumentsError('--service has neither --group nor --drivers nor --leaf');
  if (service !== undefined) {
    const known = serviceUsers.find(name => name === service);
    if (!known) throw new BadArgumentsError(`--service is one of ${serviceUsers.join(', ')}`);
    return textOf(servicePermissions(known), ANSWERS);
  }
  if (group === undefined)
    throw new BadArgumentsError('--group or --service is missing; the default group is --group ""');
  if (pinned)
    throw new BadArgumentsError(
      'RING_KEY_PIN is true: keys have no group while the ring is pinned, so permissions cannot separate groups',
    );
  if ([...group].length > 255) throw new BadArgumentsError('--group has at most 255 characters');
  const names = drivers.split(',').map(name => name.trim());
  const unknown = names.filter(name => name !== '' && !installed.includes(name));
  const those = `the drivers of this installation are ${installed.join(', ')}`;
  if (unknown.length > 0) throw new BadArgumentsError(`--drivers has unknown names: ${unknown.join(', ')}; ${those}`);
  if (names.includes('')) throw new BadArgumentsError(`--drivers takes names, separated by commas; ${those}`);
  return leaf ? textOf(leafPermissions(group, names)) : textOf(conductorPermissions(group, names), ANSWERS);
}

function parsed(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const leaf = { type: 'boolean' } as const;
  try {
    return parseArgs({ args: [...args], options: { group: text, drivers: text, leaf, service: text } }).values;
  } catch (error) {
    throw new BadArgumentsError(error instanceof Error ? error.message : String(error));
  }
}

function textOf({ publish, subscribe }: MessagePermissions, more: readonly string[] = []): string {
  return ['permissions: {', `  publish: ${list(publish)}`, `  subscribe: ${list(subscribe)}`, ...more, '}'].join('\n');
}

const list = (subjects: readonly string[]): string =>
  ['[', ...subjects.map(subject => `    ${JSON.stringify(subject)}`), '  ]'].join('\n');
