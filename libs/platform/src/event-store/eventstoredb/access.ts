import {
  BACKWARDS,
  END,
  NO_STREAM,
  StreamNotFoundError,
  WrongExpectedVersionError,
  jsonEvent,
  type AppendToStreamOptions,
  type Credentials,
  type JSONType,
} from '@eventstore/db-client';
import { EventStoreRefusedError } from '../event-store.port.js';
import { BadConnectionStringError, connectionOptions } from './connection-string.js';
import { EventStoreDbAdapter } from './eventstoredb.event-store.js';
import { StoreClient } from './store-client.js';
import { translateError } from './translate.js';

export interface AccessOptions {
  /** The connection string of an administrator of the server (EVENTSTORE_ADMIN_URL). */
  readonly administrator: string;
  /** The connection string of Stave (EVENTSTORE_URL), with the user and the password that the server is to have. */
  readonly product: string;
}

export interface GrantedAccess {
  readonly user: string;
  /** False when the user existed; its password is unchanged then. */
  readonly created: boolean;
  /** What was granted now; empty when the user had everything. */
  readonly granted: readonly string[];
}

type Json = Readonly<Record<string, unknown>>;

const EVERYBODY = '$all';
const ADMINISTRATORS = '$admins';
const SETTINGS = '$settings';
const METADATA_OF_ALL = '$$$all';
/** The number of attempts to change an access list that others change at the same time. */
const ATTEMPTS = 10;

/**
 * Creates the user of Stave's connection string unless it exists, and grants what Stave needs and no more: to read `$all`, and to read and write
 * ordinary streams, which everybody may unless the server's default access list says otherwise. Keeps what others may. Then reads as that user.
 * Throws BadConnectionStringError and EventStoreRefusedError; no error has a password.
 */
export async function grantEventStoreAccess({ administrator, product }: AccessOptions): Promise<GrantedAccess> {
  const { username, password } = userOf(product);
  const granted: string[] = [];
  const created = await asAdministrator(administrator, username, async server => {
    const isNew = await server.client.createUser(username, password, 'Stave');
    const settings = await changed(server, SETTINGS, 'update-default-acl', now => withStreams(now, username));
    if (settings.isChanged) granted.push('read and write streams that have no access list of their own');
    const readers = aclIn(settings.data, '$systemStreamAcl')['$r'];
    const all = await changed(server, METADATA_OF_ALL, '$metadata', now => withReader(now, username, readers));
    if (all.isChanged) granted.push('read $all');
    return isNew;
  });
  await requireRead(product, created);
  return { user: username, created, granted };
}

function userOf(product: string): { readonly username: string; readonly password: string } {
  const { defaultCredentials } = connectionOptions(product);
  if (!defaultCredentials?.username || !defaultCredentials.password)
    throw new BadConnectionStringError('it has no user and password');
  return defaultCredentials;
}

interface Administered {
  readonly client: StoreClient;
  /** Given with each append, which then is a call of its own: BatchAppend of the client is shared with all others in the process. */
  readonly credentials: Credentials;
}

/** Runs `change` with the administrator's client; the errors name the setting that has its connection string. */
async function asAdministrator<T>(
  connectionString: string,
  user: string,
  change: (server: Administered) => Promise<T>,
): Promise<T> {
  let client: StoreClient | undefined;
  try {
    const { defaultCredentials } = connectionOptions(connectionString);
    if (!defaultCredentials) throw new BadConnectionStringError('it has no user and password');
    if (defaultCredentials.username === user)
      throw new EventStoreRefusedError(
        `${user} is the administrator: EVENTSTORE_URL needs another user, for Stave alone`,
      );
    client = StoreClient.connect(connectionString);
    return await change({ client, credentials: defaultCredentials });
  } catch (error) {
    const shown = translateError(error);
    if (!(shown instanceof BadConnectionStringError || shown instanceof EventStoreRefusedError)) throw shown;
    shown.message = shown.message
      .replace(/EVENTSTORE_URL(?! needs)/g, 'EVENTSTORE_ADMIN_URL')
      .replace('may read $all and write the streams', `is in ${ADMINISTRATORS}`);
    throw shown;
  } finally {
    await client?.dispose();
  }
}

async function requireRead(product: string, created: boolean): Promise<void> {
  const store = new EventStoreDbAdapter({ connectionString: product });
  try {
    await store.ping();
  } catch (error) {
    if (created || !(error instanceof EventStoreRefusedError)) throw error;
    throw new EventStoreRefusedError(
      'the user exists, and the server refuses the password in EVENTSTORE_URL: set it in one of the two places',
    );
  } finally {
    await store.close();
  }
}

interface Changed {
  readonly data: Json;
  readonly isChanged: boolean;
}

/** Replaces the last event of a stream of settings by `edit`, which returns undefined where nothing is to change. */
async function changed(
  { client, credentials }: Administered,
  stream: string,
  type: string,
  edit: (now: Json) => Json | undefined,
): Promise<Changed> {
  for (let attempt = 1; ; attempt += 1) {
    const { data, revision } = await lastOf(client, stream);
    const next = edit(data);
    if (next === undefined) return { data, isChanged: false };
    try {
      const options: AppendToStreamOptions = { expectedRevision: revision ?? NO_STREAM, credentials };
      await client.appendToStream(stream, jsonEvent({ type, data: next as JSONType }), options);
      return { data: next, isChanged: true };
    } catch (error) {
      if (!(error instanceof WrongExpectedVersionError) || attempt === ATTEMPTS) throw error;
    }
  }
}

async function lastOf(client: StoreClient, stream: string): Promise<{ data: Json; revision?: bigint }> {
  const options = { fromRevision: END, direction: BACKWARDS, maxCount: 1, requiresLeader: true } as const;
  let last: { data: unknown; revision: bigint } | undefined;
  try {
    // read to its end: a loop that is left earlier waits for a stream of the client that never closes
    for await (const { event } of client.readStream(stream, options)) last ??= event;
  } catch (error) {
    if (!(error instanceof StreamNotFoundError)) throw error;
  }
  if (last === undefined) return { data: {} };
  const { data, revision } = last;
  if (!isObject(data)) throw new Error(`the last event of ${stream} is not JSON; nothing was changed there`);
  return { data, revision };
}

/** Adds the user to the default access list of ordinary streams where that excludes it. */
function withStreams(settings: Json, user: string): Json | undefined {
  const acl = aclIn(settings, '$userStreamAcl');
  const [read, write] = [acl['$r'], acl['$w']].map(roles => withRole(rolesIn(roles) ?? [EVERYBODY], user));
  if (!read && !write) return undefined;
  return { ...settings, $userStreamAcl: { ...acl, ...(read && { $r: read }), ...(write && { $w: write }) } };
}

/** Adds the user to the readers of `$all`, who are by default those of the server's streams. */
function withReader(metadata: Json, user: string, byDefault: unknown): Json | undefined {
  const acl = aclIn(metadata, '$acl');
  const readers = withRole(rolesIn(acl['$r']) ?? rolesIn(byDefault) ?? [ADMINISTRATORS], user);
  return readers && { ...metadata, $acl: { ...acl, $r: readers } };
}

/** Returns the roles with that of the user, which is its name; undefined where the user is among them. */
const withRole = (roles: readonly string[], user: string): readonly string[] | undefined =>
  roles.includes(user) || roles.includes(EVERYBODY) ? undefined : [...roles, user];

/** An access list has one role as a string, or several. */
function rolesIn(value: unknown): readonly string[] | undefined {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.map(String) : undefined;
}

function aclIn(data: Json, member: string): Json {
  const acl = data[member];
  return isObject(acl) ? acl : {};
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
