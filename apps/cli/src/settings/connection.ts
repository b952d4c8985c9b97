import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../exit-codes.js';
import { RenewedToken } from '../sign-in/renewed-token.js';
import type { Terminal } from '../terminal.js';
import { Profiles, type Profile } from './profiles.js';

export interface Connection {
  readonly url: string;
  /** An API key, or a function that returns a token which is valid now. */
  readonly token: string | (() => Promise<string>) | undefined;
  readonly project: string | undefined;
}

const DEFAULT_URL = 'http://127.0.0.1:8080';

/**
 * Returns the key of the product that `npm start` runs beside this command, if there is one. Only a server on this machine is given it.
 */
function neighbourKey(url: string, { env, cwd, checkout }: Terminal): string | undefined {
  const { hostname } = new URL(url);
  if (!['127.0.0.1', 'localhost', '[::1]'].includes(hostname)) return undefined;
  const directories = env['DATA_DIR'] === undefined ? [join(cwd, 'data'), join(checkout, 'data')] : [env['DATA_DIR']];
  for (const directory of directories)
    try {
      return readFileSync(join(directory, 'admin.key'), 'utf8').trim();
    } catch (error) {
      if (!['ENOENT', 'EACCES', 'ENOTDIR'].includes(String((error as { readonly code?: unknown }).code))) throw error;
    }
  return undefined;
}

function checkedUrl(url: string): string {
  if (!URL.canParse(url))
    throw new UsageError('STAVE_URL is not an absolute address, such as https://stave.example.org');
  return url;
}

/**
 * Returns how to reach the API: flags, then the environment, then the profile, then the product that runs beside this command. A token
 * of a profile is only sent to the address of that profile.
 */
export function connectionOf(
  terminal: Terminal,
  flags: { readonly profile?: string; readonly project?: string },
): Connection {
  const [address, key, inProject, port] = ['STAVE_URL', 'STAVE_TOKEN', 'STAVE_PROJECT', 'PORT'].map(
    // as in every setting, an empty value counts as absent
    name => terminal.env[name] || undefined,
  );
  const profiles = new Profiles(terminal.env);
  const profile: Profile = profiles.get(flags.profile);
  const local = port === undefined ? DEFAULT_URL : `http://127.0.0.1:${port}`;
  const url = checkedUrl(address ?? profile.url ?? local);
  const stored = url === profile.url ? tokenIn(profiles, flags.profile ?? profiles.current, profile) : undefined;
  return {
    url,
    token: key ?? stored ?? neighbourKey(url, terminal),
    project: flags.project ?? inProject ?? profile.project,
  };
}

function tokenIn(profiles: Profiles, name: string, { token, session }: Profile): Connection['token'] {
  if (token === undefined || !session) return token;
  const renewable = new RenewedToken(profiles, name);
  return () => renewable.now();
}
