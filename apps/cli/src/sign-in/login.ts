import { Api } from '../api/api.js';
import { CommandFailure, exitCodes, UsageError } from '../exit-codes.js';
import { inline, printable } from '../output/values.js';
import type { Session } from '../session.js';
import { Profiles, type Profile } from '../settings/profiles.js';
import { deviceLogin, revoked, type GivenTokens, type Target } from './issuer.js';

export interface LoginFlags {
  readonly url?: string;
  readonly apiKeyStdin?: boolean;
  readonly tokenStdin?: boolean;
  readonly issuer?: string;
  readonly name?: string;
}

interface Methods {
  readonly issuers: readonly (Omit<Target, 'clientId'> & { readonly clientId?: string })[];
}

/** Stores an API key that works, or signs in at an issuer. A key is never an argument, which other users could see. */
export async function login(session: Session, flags: LoginFlags): Promise<void> {
  const { terminal } = session;
  const { env } = terminal;
  const url = flags.url ?? env['STAVE_URL'];
  if (url === undefined || !URL.canParse(url))
    throw new UsageError('stave login needs --url, such as https://stave.example.org');
  const isStdin = flags.apiKeyStdin === true || flags.tokenStdin === true;
  if (isStdin && flags.issuer !== undefined) throw new UsageError('--issuer is for a sign-in without an API key');
  const key = (
    isStdin ? await terminal.readInput() : flags.issuer === undefined ? (env['STAVE_TOKEN'] ?? '') : ''
  ).trim();
  if (isStdin && key === '') throw new UsageError('the input has no API key');
  const given = key === '' ? await atIssuer(session, url, flags.issuer) : { token: key };
  await store(session, { url, ...given }, flags.name ?? 'default');
}

async function store(session: Session, given: Profile & { url: string; token: string }, name: string): Promise<void> {
  const { project } = session.flags;
  const { url, token } = given;
  const identity = await new Api({ url, token, project }, session.terminal.signal).read('/v1/whoami');
  const profiles = new Profiles(session.terminal.env);
  profiles.save(name, { ...given, ...(project === undefined ? {} : { project }) });
  session.note(`Signed in as ${inline(identity['name'] ?? identity['subject'])}; profile ${name} in ${profiles.path}`);
}

async function atIssuer(session: Session, url: string, wanted: string | undefined): Promise<GivenTokens> {
  const target = await targetAt(session, url, wanted);
  const show = ({ url: page, code }: { url: string; code: string }): void => {
    session.note(`Open ${printable(page)} in a browser and confirm the code ${printable(code)}`);
  };
  const { signal } = session.terminal;
  try {
    return await deviceLogin(target, show, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    const { message, error: code } = error as { readonly message: string; readonly error?: unknown };
    throw new CommandFailure(
      exitCodes.denied,
      `${target.issuer} has not signed you in: ${printable(String(code ?? message))}`,
    );
  }
}

/** Returns the issuer that the API names. Throws UsageError when it names none, several, or one that must not be asked. */
async function targetAt({ terminal }: Session, url: string, wanted: string | undefined): Promise<Target> {
  const open = new Api({ url, token: undefined, project: undefined }, terminal.signal);
  const { issuers } = await open.read<Methods>('/v1/auth');
  const usable = issuers.flatMap(({ clientId, ...issuer }) =>
    clientId === undefined ? [] : [{ ...issuer, clientId }],
  );
  const fitting = usable.filter(({ issuer }) => wanted === undefined || issuer === wanted);
  const names = usable.map(({ issuer }) => issuer).join(', ');
  const [target, another] = fitting;
  if (usable.length === 0)
    throw new UsageError(
      'this installation has no issuer for command lines: store an API key, stave login --url … --api-key-stdin < key',
    );
  if (!target) throw new UsageError(`this installation signs in at ${names}`);
  if (another) throw new UsageError(`choose where to sign in with --issuer: ${names}`);
  if (url.startsWith('https:') && !target.issuer.startsWith('https:'))
    throw new UsageError(`${target.issuer} is reached without TLS: a token from there proves nothing`);
  return target;
}

/** Removes a profile, and ends its session at the issuer. */
export async function logout(session: Session, name: string | undefined): Promise<void> {
  const profiles = new Profiles(session.terminal.env);
  const chosen = name ?? profiles.current;
  const { session: stored } = profiles.get(chosen);
  profiles.remove(chosen);
  if (stored?.refreshToken === undefined) return;
  try {
    await revoked(stored, stored.refreshToken);
  } catch (error) {
    const { message } = error as Error;
    session.note(`The profile is removed, but ${stored.issuer} did not end the sign-in: ${printable(message)}`);
  }
}
