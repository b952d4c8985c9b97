/** The cookie of somebody who has signed in with a browser. */
export const SESSION_COOKIE = 'stave_session';

/** Returns the value of a cookie of a request; undefined when there is none. */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

/** Returns a `Set-Cookie` header for a cookie that scripts cannot read and that other sites cannot make a browser send with a change. */
export function cookie(name: string, value: string, { path = '/', seconds }: CookieOptions = {}): string {
  const age = seconds === undefined ? [] : [`Max-Age=${seconds}`];
  return [`${name}=${value}`, `Path=${path}`, ...age, 'HttpOnly', 'Secure', 'SameSite=Lax'].join('; ');
}

/** Returns a `Set-Cookie` header that takes a cookie back. */
export const noCookie = (name: string, path = '/'): string => cookie(name, '', { path, seconds: 0 });

interface CookieOptions {
  readonly path?: string;
  /** Default: until the browser is closed. */
  readonly seconds?: number;
}
