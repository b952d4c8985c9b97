import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UsageError } from '../exit-codes.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** How to reach one installation. */
export interface Profile {
  readonly url?: string;
  readonly token?: string;
  readonly project?: string;
  /** How the token is renewed; absent for API keys. */
  readonly session?: StoredSession;
}

/** A sign-in at an issuer. */
export interface StoredSession {
  readonly issuer: string;
  readonly clientId: string;
  /** What tokens are asked for. */
  readonly audience: string;
  readonly resource?: string;
  readonly refreshToken?: string;
  /** When the token was taken, and its end, in milliseconds since 1970. */
  readonly sinceMs: number;
  readonly expiresAtMs: number;
}

interface ProfileFile {
  readonly current?: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

const isAbsent = (error: unknown): boolean => (error as { readonly code?: unknown }).code === 'ENOENT';

/** Writes a file that only its owner can read, complete or not at all. Throws the errors of the file system. */
export function writePrivate(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const next = `${path}.${process.pid}`;
  writeFileSync(next, text, { mode: 0o600 });
  chmodSync(next, 0o600);
  renameSync(next, path);
}

/** The profiles of a user, in a file that only he can read. */
export class Profiles {
  readonly path: string;

  constructor(env: Environment) {
    const home = env['XDG_CONFIG_HOME'] ?? join(env['HOME'] ?? '.', '.config');
    this.path = env['STAVE_CONFIG'] ?? join(home, 'stave', 'profiles.json');
  }

  get current(): string {
    return this.read().current ?? 'default';
  }

  names(): string[] {
    return Object.keys(this.read().profiles).sort();
  }

  /** Returns the named profile, or the current one. Throws UsageError for a name that does not exist. */
  get(name?: string): Profile {
    const { profiles, current = 'default' } = this.read();
    const found = profiles[name ?? current];
    if (!found && name !== undefined)
      throw new UsageError(`there is no profile ${name}; stave profiles list shows them`);
    return found ?? {};
  }

  /** Stores a profile and makes it the current one. */
  save(name: string, profile: Profile): void {
    const { profiles } = this.read();
    this.write({ current: name, profiles: { ...profiles, [name]: profile } });
  }

  /** Stores a profile as it is now, without making it the current one. */
  replace(name: string, profile: Profile): void {
    const file = this.read();
    this.write({ ...file, profiles: { ...file.profiles, [name]: profile } });
  }

  use(name: string): void {
    this.get(name);
    this.write({ ...this.read(), current: name });
  }

  remove(name: string): void {
    this.get(name);
    const { current, profiles } = this.read();
    const rest = Object.fromEntries(Object.entries(profiles).filter(([other]) => other !== name));
    this.write({ ...(current === undefined || current === name ? {} : { current }), profiles: rest });
  }

  private read(): ProfileFile {
    let text: string;
    try {
      text = readFileSync(this.path, 'utf8');
    } catch (error) {
      if (isAbsent(error)) return { profiles: {} };
      throw new UsageError(`the profiles in ${this.path} cannot be read`);
    }
    try {
      return JSON.parse(text) as ProfileFile;
    } catch {
      // the text of the parser would show a part of the file, which has tokens
      throw new UsageError(`the profiles in ${this.path} are no JSON`);
    }
  }

  private write(file: ProfileFile): void {
    writePrivate(this.path, `${JSON.stringify(file, null, 2)}\n`);
  }
}
