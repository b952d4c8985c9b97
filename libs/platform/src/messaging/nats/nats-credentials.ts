import { readFileSync } from 'node:fs';
import { nkeyAuthenticator, type Auth, type Authenticator } from 'nats';
import { knownSecrets } from '../../secrets/known-secrets.js';
import type { NatsFiles } from './nats-files.js';

export interface NatsCredentials {
  readonly user?: string;
  readonly pass?: string;
  /** A file with the password in place of `pass`; read at each attempt to connect. */
  readonly passFile?: string;
  readonly token?: string;
  /** A file with the token in place of `token`; read at each attempt to connect. */
  readonly tokenFile?: string;
}

/** Returns a function that states the credentials for the next attempt to connect. While a file cannot be read, its last content counts. */
export function credentialsOf(
  { user, pass, passFile, token, tokenFile }: NatsCredentials,
  files: NatsFiles,
): Authenticator {
  const password = secret(pass, passFile);
  const tokenText = secret(token, tokenFile);
  const named = (): Auth => {
    if (user) return { user, pass: password() };
    const auth_token = tokenText();
    return auth_token ? { auth_token } : undefined;
  };
  const seed = (): Uint8Array => Buffer.from(files.current.nkey ?? '');
  const signed = nkeyAuthenticator(seed);
  return nonce => (files.current.nkey === undefined ? named() : Object.assign({}, named(), signed(nonce)));
}

function secret(given: string | undefined, file: string | undefined): () => string {
  let last = given ?? '';
  knownSecrets.learn(last);
  if (!file) return () => last;
  return () => {
    try {
      last = readFileSync(file, 'utf8').trim();
      knownSecrets.learn(last);
    } catch {
      // the client would close the connection for good: the server's answer to the last content is logged instead
    }
    return last;
  };
}
