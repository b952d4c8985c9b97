import type { TokenEndpointResponse } from 'openid-client';
import type { StoredSession } from '../settings/profiles.js';

const TIMEOUT_S = 15;

/** What is asked of an issuer, and with which client. */
export type Target = Pick<StoredSession, 'issuer' | 'clientId' | 'audience' | 'resource'>;

/** What an issuer has given. */
export interface GivenTokens {
  readonly token: string;
  readonly session: StoredSession;
}

/** What somebody must do at the issuer. */
export interface DeviceCode {
  readonly url: string;
  /** What the page of the issuer asks for, or shows. */
  readonly code: string;
}

/** The library is loaded only by commands that need an issuer. */
async function open({ issuer, clientId }: Target) {
  const oidc = await import('openid-client');
  const options = {
    timeout: TIMEOUT_S,
    execute: issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : [],
  };
  return { oidc, configuration: await oidc.discovery(new URL(issuer), clientId, undefined, oidc.None(), options) };
}

const parametersOf = ({ audience, resource }: Target): Record<string, string> => ({
  audience,
  ...(resource !== undefined && { resource }),
});

/** Signs in by the device flow (RFC 8628): `show` says what to do in a browser. Resolves when that was done. */
export async function deviceLogin(
  target: Target,
  show: (code: DeviceCode) => void,
  signal: AbortSignal,
): Promise<GivenTokens> {
  const { oidc, configuration } = await open(target);
  const scopes = configuration.serverMetadata().scopes_supported ?? [];
  const scope = scopes.includes('offline_access') ? 'openid offline_access' : 'openid';
  const asked = { scope, ...parametersOf(target) };
  const device = await oidc.initiateDeviceAuthorization(configuration, asked);
  show({ url: device.verification_uri_complete ?? device.verification_uri, code: device.user_code });
  const given = await oidc.pollDeviceAuthorizationGrant(configuration, device, parametersOf(target), { signal });
  return tokensIn(target, given);
}

/** Returns new tokens for a refresh token; undefined when the issuer takes it no more. */
export async function refreshed(session: StoredSession, refreshToken: string): Promise<GivenTokens | undefined> {
  const { oidc, configuration } = await open(session);
  try {
    const given = await oidc.refreshTokenGrant(configuration, refreshToken, parametersOf(session));
    return tokensIn(session, given, refreshToken);
  } catch (error) {
    if (error instanceof oidc.ResponseBodyError && error.error === 'invalid_grant') return undefined;
    throw error;
  }
}

/** Ends a refresh token, where the issuer can do that. */
export async function revoked(session: StoredSession, refreshToken: string): Promise<void> {
  const { oidc, configuration } = await open(session);
  if (configuration.serverMetadata().revocation_endpoint === undefined) return;
  await oidc.tokenRevocation(configuration, refreshToken, { token_type_hint: 'refresh_token' });
}

/** Without a new refresh token the former one stays good. */
function tokensIn(target: Target, given: TokenEndpointResponse, former?: string): GivenTokens {
  const { issuer, clientId, audience, resource } = target;
  const { access_token: token, refresh_token: refreshToken = former, expires_in: seconds = 60 } = given;
  const sinceMs = Date.now();
  return {
    token,
    session: {
      ...{ issuer, clientId, audience, sinceMs, expiresAtMs: sinceMs + seconds * 1000 },
      ...(resource !== undefined && { resource }),
      ...(refreshToken !== undefined && { refreshToken }),
    },
  };
}
