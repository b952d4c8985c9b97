import { Inject, Injectable } from '@nestjs/common';
import { RefusedError } from '@stave/contracts';
import { readFileSync } from 'node:fs';
import { SETTINGS, type GatewaySettings } from '../gateway.tokens.js';
import type { IssuerSettings } from '../identity/identity-settings.js';
import { clientSecret, IssuerClient } from './issuer-client.js';
import { Seal } from './seal.js';

/** The path to which an issuer sends a browser back. */
export const CALLBACK = '/v1/auth/callback';

/** An issuer at which browsers sign in. */
export interface WebIssuer {
  readonly settings: IssuerSettings;
  readonly client: IssuerClient;
}

export const issuerUnavailable = (): RefusedError =>
  new RefusedError({
    code: 'issuer-unavailable',
    kind: 'unavailable',
    detail: 'the issuer does not answer; repeat the request later',
    retryAfterMs: 1_000,
  });

/** The issuers at which browsers sign in, by their URLs in the order of the file, and what their cookies are sealed with. */
@Injectable()
export class WebIssuers {
  readonly all: ReadonlyMap<string, WebIssuer>;
  readonly seal: Seal;
  /** The origin of the pages that may make changes with a cookie. */
  readonly origin: string;

  constructor(@Inject(SETTINGS) { identity, publicUrl, sessionKeyFile }: GatewaySettings) {
    const redirectUri = `${publicUrl.replace(/\/$/, '')}${CALLBACK}`;
    const entries = identity.issuers.flatMap(settings =>
      settings.web
        ? [[settings.issuer, { settings, client: new IssuerClient(settings, settings.web, redirectUri) }] as const]
        : [],
    );
    this.all = new Map(entries);
    this.seal = new Seal(this.all.size === 0 ? [] : secretsFor(sessionKeyFile, identity.issuers));
    this.origin = publicUrl === '' ? '' : new URL(publicUrl).origin;
  }
}

/**
 * Returns the lines of the file of session keys. Without one, what every gateway and every start knows and nobody else: the secrets of the
 * clients.
 */
function secretsFor(file: string, issuers: readonly IssuerSettings[]): readonly string[] {
  if (file !== '') return sessionKeysIn(readFileSync(file, 'utf8'));
  return [issuers.flatMap(({ web }) => (web ? [clientSecret(web)] : [])).join('\n')];
}

/** Returns the keys in the text of a file: a line each, the first of which seals. */
export const sessionKeysIn = (text: string): readonly string[] =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '');
