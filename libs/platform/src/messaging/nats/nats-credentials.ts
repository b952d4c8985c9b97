import { readFileSync } from 'node:fs';
import type { Authenticator } from 'nats';
import { knownSecrets } from '../../secrets/known-secrets.js';

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
export function credentialsOf({ user, pass, passFile, token, tokenFile }: NatsCredentials): Authenticator {
  const password = secret(pass, passFile);
  const tokenText = secret(token, tokenFile);
  return () => {
    if (user) return { user, pass: password() };
    const auth_token = tokenText();
    return auth_token ? { auth_token } : undefined;
  };
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
