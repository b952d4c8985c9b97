import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../exit-codes.js';
import type { Terminal } from '../terminal.js';
import { Profiles, type Profile } from './profiles.js';

export interface Connection {
  readonly url: string;
  readonly token: string | undefined;
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
  const { STAVE_URL, STAVE_TOKEN, STAVE_PROJECT, PORT } = terminal.env;
  const profile: Profile = new Profiles(terminal.env).get(flags.profile);
  const local = PORT === undefined ? DEFAULT_URL : `http://127.0.0.1:${PORT}`;
  const url = checkedUrl(STAVE_URL ?? profile.url ?? local);
  const stored = url === profile.url ? profile.token : undefined;
  return {
    url,
    token: STAVE_TOKEN ?? stored ?? neighbourKey(url, terminal),
    project: flags.project ?? STAVE_PROJECT ?? profile.project,
  };
}
