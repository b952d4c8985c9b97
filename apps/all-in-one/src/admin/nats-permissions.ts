import { parseArgs } from 'node:util';
import { conductorPermissions, servicePermissions, serviceUsers, type MessagePermissions } from '@stave/contracts';

/** Milliseconds after a request within which its receiver may answer: longer than any request waits. */
const ANSWER = '5m';

export const USAGE = [
  'stave-admin nats-permissions --group GROUP --drivers DRIVER[,DRIVER…]',
  `stave-admin nats-permissions --service ${serviceUsers.join('|')}`,
].join('\n');

/** What the command cannot do with these arguments, in a sentence for people. */
export class BadArgumentsError extends Error {
  override readonly name = 'BadArgumentsError';
}

/** Returns the permissions of a conductor or a service for the configuration of nats-server. Throws BadArgumentsError. */
export function natsPermissions(args: readonly string[], { pinned }: { readonly pinned: boolean }): string {
  const { group, drivers = '', service } = parsed(args);
  if (service !== undefined && (group !== undefined || drivers !== ''))
    throw new BadArgumentsError('--service has neither --group nor --drivers');
  if (service !== undefined) {
    const known = serviceUsers.find(name => name === service);
    if (!known) throw new BadArgumentsError(`--service is one of ${serviceUsers.join(', ')}`);
    return textOf(servicePermissions(known));
  }
  if (group === undefined)
    throw new BadArgumentsError('--group or --service is missing; the default group is --group ""');
  if (pinned)
    throw new BadArgumentsError(
      'RING_KEY_PIN is true: keys have no group while the ring is pinned, so permissions cannot separate groups',
    );
  if ([...group].length > 255) throw new BadArgumentsError('--group has at most 255 characters');
  const names = drivers.split(',').map(name => name.trim());
  if (!names.every(name => /^[a-z][a-z0-9_-]*$/.test(name)))
    throw new BadArgumentsError('--drivers takes names of drivers, separated by commas');
  return textOf(conductorPermissions(group, names));
}

function parsed(args: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({ args: [...args], options: { group: text, drivers: text, service: text } }).values;
  } catch (error) {
    throw new BadArgumentsError(error instanceof Error ? error.message : String(error));
  }
}

function textOf({ publish, subscribe }: MessagePermissions): string {
  return [
    'permissions: {',
    `  publish: ${list(publish)}`,
    `  subscribe: ${list(subscribe)}`,
    `  allow_responses: { max: 1, expires: "${ANSWER}" }`,
    '}',
  ].join('\n');
}

const list = (subjects: readonly string[]): string =>
  ['[', ...subjects.map(subject => `    ${JSON.stringify(subject)}`), '  ]'].join('\n');
