import { readFileSync } from 'node:fs';
import * as oidc from 'openid-client';
import type { IssuerSettings, WebClient } from '../identity/identity-settings.js';

const TIMEOUT_S = 5;
/** The metadata of an issuer, and the client's secret, are read again when they are this old. */
const MAX_AGE_MS = 10 * 60_000;

/** What an issuer has given for a code or a refresh token. */
export interface Tokens {
  readonly accessToken: string;
  /** Absent: the issuer gives none, or the former one stays good. */
  readonly refreshToken?: string;
}

/** What must be the same when a browser comes back from an issuer. */
export interface SignInChecks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** An audience that is a URI is the resource that an access token is asked for (RFC 8707). */
export const resourceOf = ({ audiences: [audience = ''] }: IssuerSettings): string | undefined =>
  URL.canParse(audience) && !audience.includes('#') ? audience : undefined;

/** Returns the text of the file of a client's secret. Throws the error of the file system. */
export const clientSecret = ({ clientSecretFile }: WebClient): string => readFileSync(clientSecretFile, 'utf8').trim();

/** This gateway as a client of one issuer. Errors are those of `openid-client`, and of the network. */
export class IssuerClient {
  private found: { readonly configuration: Promise<oidc.Configuration>; readonly at: number } | undefined;

  constructor(
    private readonly settings: IssuerSettings,
    private readonly client: WebClient,
    private readonly redirectUri: string,
  ) {}

  /** Returns where a browser signs in. */
  async authorizationUrl({ state, nonce, verifier }: SignInChecks): Promise<URL> {
    const configuration = await this.configuration();
    // without this scope most issuers give no refresh token; and with it they must ask for consent
    const isOffline = configuration.serverMetadata().scopes_supported?.includes('offline_access') === true;
    return oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: this.redirectUri,
      scope: isOffline ? 'openid offline_access' : 'openid',
      ...(isOffline && { prompt: 'consent' }),
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...{ state, nonce },
      ...this.target(),
    });
  }

  /** Exchanges the code in the query of the callback. */
  async exchange(query: string, { state, nonce, verifier }: SignInChecks): Promise<Tokens> {
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
    const url = new URL(this.redirectUri);
    url.search = query;
    return tokensIn(await oidc.authorizationCodeGrant(await this.configuration(), url, checks, this.target()));
  }

  async refresh(refreshToken: string): Promise<Tokens> {
    return tokensIn(await oidc.refreshTokenGrant(await this.configuration(), refreshToken, this.target()));
  }

  /** Ends a refresh token, where the issuer can do that. */
  async revoke(refreshToken: string): Promise<void> {
    const configuration = await this.configuration();
    if (configuration.serverMetadata().revocation_endpoint === undefined) return;
    await oidc.tokenRevocation(configuration, refreshToken, { token_type_hint: 'refresh_token' });
  }

  /** `audience` is what some issuers understand in place of `resource`. */
  private target(): Record<string, string> {
    const resource = resourceOf(this.settings);
    return { ...(resource !== undefined && { resource }), audience: this.settings.audiences[0] ?? '' };
  }

  private configuration(): Promise<oidc.Configuration> {
    const now = performance.now();
    if (!this.found || now - this.found.at > MAX_AGE_MS) {
      const configuration = this.discover();
      this.found = { configuration, at: now };
      configuration.catch(() => (this.found = undefined));
    }
    return this.found.configuration;
  }

  private async discover(): Promise<oidc.Configuration> {
    const { issuer } = this.settings;
    const secret = clientSecret(this.client);
    const authentication: oidc.ClientAuth = (server, client, body, headers) => {
      const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
      const method = methods.includes('client_secret_basic') ? oidc.ClientSecretBasic : oidc.ClientSecretPost;
      method(secret)(server, client, body, headers);
    };
    return oidc.discovery(new URL(issuer), this.client.clientId, undefined, authentication, {
      timeout: TIMEOUT_S,
      // an http: issuer is named in the log, and refused where TLS is required
      execute: issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : [],
    });
  }
}

const tokensIn = ({ access_token: accessToken, refresh_token: refreshToken }: oidc.TokenEndpointResponse): Tokens => ({
  accessToken,
  ...(refreshToken !== undefined && { refreshToken }),
});

const awayCodes = ['TIMEOUT', 'ABORT', 'RESPONSE_IS_NOT_CONFORM', 'RESPONSE_IS_NOT_JSON', 'PARSE_ERROR'];

/** Whether an error says that the issuer did not answer as one, rather than that it refused. Errors of `fetch` are TypeErrors. */
export const isAway = (error: unknown): boolean =>
  error instanceof TypeError ||
  (error instanceof oidc.ClientError && awayCodes.some(code => error.code === `OAUTH_${code}`));

/** Returns what may be logged of an error: those of the library hold whole answers, which may have tokens. */
export function described(error: unknown): string {
  if (error instanceof oidc.ResponseBodyError) return `${error.message}: ${error.error} (${error.status})`;
  if (!(error instanceof Error)) return 'unknown';
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
