import {
  parseConnectionString,
  type ConnectionOptions,
} from '@eventstore/db-client/dist/Client/parseConnectionString.js';
import { knownSecrets } from '../../secrets/known-secrets.js';

/** The options that a connection string may have, in lower case without `-` and `_`, as the client compares them. */
const OPTIONS: ReadonlySet<string> = new Set([
  'connectionname',
  'defaultdeadline',
  'discoveryinterval',
  'gossiptimeout',
  'keepaliveinterval',
  'keepalivetimeout',
  'maxdiscoverattempts',
  'nodepreference',
  'throwonappendfailure',
  'tls',
  'tlscafile',
  'usercertfile',
  'userkeyfile',
]);

/** An election lasts 2 to 20 s, so a client looks for the leader for 40 s: 200 attempts, 200 ms apart. */
const DISCOVERY = { maxDiscoverAttempts: 200, discoveryInterval: 200 } as const;

/** EVENTSTORE_URL cannot be used. The message contains no part of it, because it may contain a password. */
export class BadConnectionStringError extends Error {
  override readonly name = 'BadConnectionStringError';

  constructor(reason: string) {
    super(`EVENTSTORE_URL is not a connection string of EventStoreDB: ${reason}`);
  }
}

/**
 * Parses a connection string, and registers its password as a secret. Options of discovery that it does not set get
 * values that outlast an election. With `hasPasswordFile` the string names a user without a password, which is empty in the result.
 * Throws BadConnectionStringError.
 */
export function connectionOptions(text: string, { hasPasswordFile = false } = {}): ConnectionOptions {
  const trimmed = text.trim().replace(/\/+$/, '');
  const at = trimmed.lastIndexOf('@');
  learnPassword(trimmed.slice(0, Math.max(at, 0)));
  if (trimmed.indexOf('@') !== at) throw new BadConnectionStringError('write @ in user and password as %40');
  checkOptions(trimmed.slice(at + 1));
  const user = userIn(trimmed, at);
  if (user !== undefined && !hasPasswordFile) throw new BadConnectionStringError('it has a user without a password');
  if (user === undefined && hasPasswordFile)
    throw new BadConnectionStringError('with EVENTSTORE_PASSWORD_FILE it names a user, and no password');
  const options = parse(user === undefined ? trimmed : trimmed.replace(/:\/\/[^@]*@/, '://'));
  if (options.hosts.length === 0) throw new BadConnectionStringError('it names no host');
  return {
    ...DISCOVERY,
    ...options,
    ...(user !== undefined && { defaultCredentials: { username: user, password: '' } }),
  };
}

/** Returns the user of a string that has no password; `at` is where its `@` is. */
function userIn(text: string, at: number): string | undefined {
  const user = /:\/\/([^:]+)$/.exec(text.slice(0, Math.max(at, 0)))?.[1];
  try {
    return user && decodeURIComponent(user);
  } catch {
    throw new BadConnectionStringError('its user has a malformed escape sequence');
  }
}

function parse(text: string): ConnectionOptions {
  try {
    return parseConnectionString(text);
  } catch {
    // the error of the client quotes the complete string, so it is neither passed on nor attached as a cause
    throw new BadConnectionStringError('use esdb://user:password@host:port?option=value');
  }
}

/** Refuses what the client would only warn about, with the complete string on standard output. */
function checkOptions(text: string): void {
  const begin = text.indexOf('?');
  if (begin < 0) return;
  for (const [i, pair] of text
    .slice(begin + 1)
    .split('&')
    .entries()) {
    const [key = '', value = ''] = pair.split('=');
    const name = key.trim().toLowerCase().replaceAll(/[_-]/g, '');
    if (name === 'tlsverifycert' && value.trim() !== 'true')
      throw new BadConnectionStringError('certificates are always verified: name the authority with tlsCAFile');
    if (name !== 'tlsverifycert' && !OPTIONS.has(name))
      throw new BadConnectionStringError(`its option number ${i + 1} is not known`);
  }
}

function learnPassword(before: string): void {
  const credentials = before.slice(before.indexOf('//') + 2);
  if (!credentials.includes(':')) return;
  const password = credentials.slice(credentials.indexOf(':') + 1);
  knownSecrets.learn(password);
  try {
    knownSecrets.learn(decodeURIComponent(password));
  } catch {
    // a malformed escape sequence: `parse` refuses the string
  }
}
