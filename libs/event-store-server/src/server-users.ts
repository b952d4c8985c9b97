import { Metadata, status, type sendUnaryData, type ServerUnaryCall } from '@grpc/grpc-js';
import { CreateResp, type CreateReq } from '@eventstore/db-client/generated/users_pb.js';
import type { EventStore } from '@stave/platform';
import type { Refusal } from './server-faults.js';

/** The users of a server, and the store in which their access lists are. */
export interface Access {
  readonly users: ServerUsers;
  readonly store: EventStore;
}

interface Account {
  readonly password: string;
  /** Its own name and the groups that it is in. */
  readonly roles: readonly string[];
}

type Roles = string | readonly string[] | undefined;
type AccessList = Readonly<Record<string, Roles>>;
export type StreamAction = 'read' | 'write';

const EVERYBODY = '$all';
const ADMINISTRATORS = '$admins';

/**
 * The users of a server and what their access lists allow, as in EventStoreDB 23.10: the list of a stream, else the default one of `$settings`;
 * administrators may do everything.
 */
export class ServerUsers {
  private readonly accounts = new Map<string, Account>();

  constructor(administratorPassword: string) {
    this.accounts.set('admin', { password: administratorPassword, roles: ['admin', ADMINISTRATORS] });
  }

  /** Returns the error with which a call is refused whose user is unknown or has another password, if it is. */
  unknown(metadata: Metadata): Refusal | undefined {
    return this.rolesOf(metadata) ? undefined : { code: status.UNAUTHENTICATED, details: 'Bad HTTP status: 401' };
  }

  /** Returns the error with which the user of a call is refused on a stream, if it is. */
  async refusal(
    store: EventStore,
    metadata: Metadata,
    action: StreamAction,
    stream: string,
  ): Promise<Refusal | undefined> {
    const roles = this.rolesOf(metadata) ?? [];
    if (roles.includes(ADMINISTRATORS)) return undefined;
    const isMetadata = stream.startsWith('$$');
    const target = isMetadata ? stream.slice(2) : stream;
    const right = `$${isMetadata ? 'm' : ''}${action === 'read' ? 'r' : 'w'}`;
    const allowed = await allowedOn(store, target, right);
    return allowed.some(role => role === EVERYBODY || roles.includes(role)) ? undefined : denied();
  }

  /** Serves Users/Create. */
  readonly create = (call: ServerUnaryCall<CreateReq, CreateResp>, done: sendUnaryData<CreateResp>): void => {
    const refused = this.unknown(call.metadata);
    if (refused) return done(refused);
    if (!this.rolesOf(call.metadata)?.includes(ADMINISTRATORS)) return done(denied());
    const options = call.request.getOptions();
    const login = options?.getLoginName() ?? '';
    if (this.accounts.has(login)) return done(conflict(login));
    this.accounts.set(login, {
      password: options?.getPassword() ?? '',
      roles: [login, ...(options?.getGroupsList() ?? [])],
    });
    done(null, new CreateResp());
  };

  private rolesOf(metadata: Metadata): readonly string[] | undefined {
    const [, encoded = ''] = /^Basic (.+)$/.exec(String(metadata.get('authorization')[0] ?? '')) ?? [];
    const [login = '', ...rest] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
    const account = this.accounts.get(login);
    return account?.password === rest.join(':') ? account.roles : undefined;
  }
}

async function allowedOn(store: EventStore, stream: string, right: string): Promise<readonly string[]> {
  const own = await lastOf(store, `$$${stream}`);
  const settings = await lastOf(store, '$settings');
  const isSystem = stream.startsWith('$');
  const byDefault = settings[isSystem ? '$systemStreamAcl' : '$userStreamAcl']?.[right];
  const roles = own['$acl']?.[right] ?? byDefault ?? (isSystem ? ADMINISTRATORS : EVERYBODY);
  return typeof roles === 'string' ? [roles] : roles;
}

async function lastOf(store: EventStore, stream: string): Promise<Readonly<Record<string, AccessList | undefined>>> {
  const [last] = await store.readStream(stream, { direction: 'backwards', limit: 1 });
  return (last?.data ?? {}) as Readonly<Record<string, AccessList | undefined>>;
}

const denied = (): Refusal => ({
  code: status.PERMISSION_DENIED,
  details: 'Access Denied',
  metadata: exception('access-denied'),
});

function conflict(login: string): Refusal {
  const metadata = exception('user-conflict');
  metadata.set('login-name', login);
  return { code: status.FAILED_PRECONDITION, details: 'Conflict.', metadata };
}

function exception(name: string): Metadata {
  const metadata = new Metadata();
  metadata.set('exception', name);
  return metadata;
}
