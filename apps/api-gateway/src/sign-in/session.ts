import { omitUndefined } from '@stave/domain';
import { member } from '../http/members.js';
import type { RoleRule } from '../identity/identity-settings.js';
import type { Claims } from '../identity/token-roles.js';

/** What a sealed cookie says: who has signed in, and how that is renewed. */
export interface Session {
  readonly issuer: string;
  readonly subject: string;
  readonly name: string;
  /** The claims of the access token that rules fit. */
  readonly claims: Claims;
  /** When the access token was taken, and its end, in milliseconds since 1970. */
  readonly sinceMs: number;
  readonly expiresAtMs: number;
  /** Absent: the session ends with the access token. */
  readonly refreshToken?: string;
}

/** Returns those claims of a token that rules fit, without the other values of lists: a cookie has little room. */
export function claimsForRules(rules: readonly RoleRule[], claims: Claims): Claims {
  const kept: Record<string, unknown[]> = {};
  for (const { claim, value } of rules) {
    const found = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
    if (found !== value && !(Array.isArray(found) && found.includes(value))) continue;
    const values = (kept[claim] ??= []);
    if (!values.includes(value)) values.push(value);
  }
  return kept;
}

/** Returns a session as a text, with short names: a cookie has 4 kB. */
export const sessionText = (session: Session): string =>
  JSON.stringify({
    i: session.issuer,
    s: session.subject,
    n: session.name,
    c: session.claims,
    a: session.sinceMs,
    e: session.expiresAtMs,
    ...omitUndefined({ r: session.refreshToken }),
  });

/** Reads a session from a text that {@link sessionText} has made and that was sealed since. */
export function sessionIn(text: string): Session | undefined {
  const given: unknown = JSON.parse(text);
  const [issuer, subject, name, refreshToken] = ['i', 's', 'n', 'r'].map(short => member(given, short));
  const [sinceMs, expiresAtMs, claims] = [member(given, 'a'), member(given, 'e'), member(given, 'c')];
  if (typeof issuer !== 'string' || typeof subject !== 'string' || typeof name !== 'string') return undefined;
  if (typeof sinceMs !== 'number' || typeof expiresAtMs !== 'number') return undefined;
  if (typeof claims !== 'object' || claims === null) return undefined;
  const renewal = typeof refreshToken === 'string' ? { refreshToken } : {};
  return { issuer, subject, name, claims: { ...claims }, sinceMs, expiresAtMs, ...renewal };
}
