import { DriverError, type SecretStore } from '@stave/driver-sdk';
import { sendRequest, type HttpAnswer, type HttpRequest } from '../http/http-request.js';
import type { CloudSettings, Identity } from './cloud-settings.js';

const requestTimeoutMs = 90_000;
/** A token that expires sooner is not used for another request. */
const marginMs = 30_000;

/** A service of OpenStack, by its type in the catalog. */
export type ServiceType = 'orchestration' | 'compute' | 'network' | 'image' | 'volumev3';

/** Whose login it is: the ids of its user and its project. */
export interface Account {
  readonly userId: string;
  readonly projectId: string;
}

interface Login extends Account {
  readonly token: string;
  readonly expiresAt: number;
  readonly endpoints: ReadonlyMap<string, string>;
}

/** A request to a service; `path` is below its endpoint. */
export interface ServiceRequest extends Pick<HttpRequest, 'method' | 'body' | 'headers'> {
  readonly service: ServiceType;
  readonly path: string;
  readonly signal: AbortSignal;
  /** The store of the conductor, so that a token appears in no log. */
  readonly secrets: SecretStore;
}

/** A login to a cloud, shared by all requests; it is repeated before its token expires, and once when a service refuses the token. */
export class CloudSession {
  private login: Login | undefined;
  private pending: Promise<Login> | undefined;

  /** `now` returns the time in milliseconds since 1970. */
  constructor(
    readonly settings: CloudSettings,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * Sends a request to a service and returns its answer, whatever its status but 401. Throws a transient DriverError when there is no answer,
   * and a permanent one when the cloud refuses the login or has no such service.
   */
  async send(request: ServiceRequest): Promise<HttpAnswer> {
    const login = await this.current(request.secrets);
    const answer = await this.sendWith(login, request);
    if (answer.status !== 401) return answer;
    this.forget(login);
    const again = await this.sendWith(await this.current(request.secrets), request);
    if (again.status !== 401) return again;
    throw new DriverError('permanent', `the service ${request.service} refuses the tokens of its own cloud`);
  }

  /** Returns whose login it is. Logs in when that is not known. */
  async account(secrets: SecretStore): Promise<Account> {
    const { userId, projectId } = await this.current(secrets);
    return { userId, projectId };
  }

  private sendWith(login: Login, request: ServiceRequest): Promise<HttpAnswer> {
    const { service, method, path, body, headers, signal } = request;
    const endpoint = login.endpoints.get(service);
    if (endpoint === undefined)
      throw new DriverError('permanent', `the cloud has no service ${service} in the chosen region`);
    const { authorities } = this.settings;
    return sendRequest({
      method,
      url: `${endpoint}${path}`,
      headers: { ...headers, 'x-auth-token': login.token },
      timeoutMs: requestTimeoutMs,
      signal,
      ...(body !== undefined && { body }),
      ...(authorities !== undefined && { authorities }),
    });
  }

  private async current(secrets: SecretStore): Promise<Login> {
    if (this.login && this.login.expiresAt - this.now() > marginMs) return this.login;
    this.pending ??= this.renewed(secrets).finally(() => {
      this.pending = undefined;
    });
    return this.pending;
  }

  private async renewed(secrets: SecretStore): Promise<Login> {
    const login = await this.authenticate();
    if (this.login) await secrets.delete(secretName(this.login.token));
    await secrets.put(secretName(login.token), login.token);
    this.login = login;
    return login;
  }

  /** Another request may have replaced it already. */
  private forget(login: Login): void {
    if (this.login?.token === login.token) this.login = undefined;
  }

  private async authenticate(): Promise<Login> {
    const { authUrl, user, password, project, authorities } = this.settings;
    const body = {
      auth: {
        identity: { methods: ['password'], password: { user: { ...identityOf(user), password } } },
        scope: { project: identityOf(project) },
      },
    };
    const answer = await sendRequest({
      method: 'POST',
      url: `${authUrl}/auth/tokens`,
      body,
      timeoutMs: requestTimeoutMs,
      ...(authorities !== undefined && { authorities }),
    });
    const token = answer.headers['x-subject-token'];
    if (answer.status !== 201 || typeof token !== 'string') throw refusedLogin(answer.status);
    return { token, ...this.contentOf(answer.body) };
  }

  private contentOf(body: unknown): Omit<Login, 'token'> {
    const { token } = body as TokenBody;
    const endpoints = new Map<string, string>();
    for (const { type, endpoints: places } of token.catalog ?? []) {
      const found = places.find(
        ({ interface: name, region }) =>
          name === this.settings.interface && [undefined, region].includes(this.settings.region),
      );
      if (found) endpoints.set(type, found.url.replace(/\/+$/, ''));
    }
    const { user, project } = token;
    return { expiresAt: Date.parse(token.expires_at), endpoints, userId: user.id, projectId: project.id };
  }
}

interface TokenBody {
  readonly token: {
    readonly expires_at: string;
    readonly user: { readonly id: string };
    readonly project: { readonly id: string };
    readonly catalog?: readonly {
      readonly type: string;
      readonly endpoints: readonly { readonly interface: string; readonly region: string; readonly url: string }[];
    }[];
  };
}

const identityOf = ({ id, name, domain }: Identity) => (id === undefined ? { name, domain } : { id });

/** Only the end of a token names it: the name of a secret may be shown. */
const secretName = (token: string): string => `token of the cloud ${token.slice(-6)}`;

function refusedLogin(status: number): DriverError {
  if (status === 401) return new DriverError('permanent', 'the cloud refuses the user, the password or the project');
  const failure = status >= 500 || status === 429 ? 'transient' : 'permanent';
  return new DriverError(failure, `the login to the cloud failed with status ${status}`);
}
