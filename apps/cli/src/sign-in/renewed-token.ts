import { CommandFailure, exitCodes } from '../exit-codes.js';
import type { Profile, Profiles, StoredSession } from '../settings/profiles.js';
import { locked } from './file-lock.js';
import { refreshed } from './issuer.js';

/** Tokens are renewed this long before their end, and in the last third of a shorter life. */
const RENEW_MS = 60_000;

const isDue = ({ sinceMs, expiresAtMs }: StoredSession): boolean =>
  expiresAtMs - Date.now() < Math.min(RENEW_MS, (expiresAtMs - sinceMs) / 3);

/** The token of a profile that somebody has signed in to. It is renewed in the file of the profiles before it ends. */
export class RenewedToken {
  private renewing: Promise<string> | undefined;

  constructor(
    private readonly profiles: Profiles,
    private readonly name: string,
  ) {}

  /** Returns a token that is valid now. Throws CommandFailure when one must sign in again. */
  now(): Promise<string> {
    const token = validIn(this.profiles.get(this.name));
    if (token !== undefined) return Promise.resolve(token);
    this.renewing ??= this.renew().finally(() => (this.renewing = undefined));
    return this.renewing;
  }

  /** Many issuers take a refresh token once: commands that run at the same time renew one after the other. */
  private renew(): Promise<string> {
    return locked(`${this.profiles.path}.${encodeURIComponent(this.name)}.lock`, async () => {
      const profile = this.profiles.get(this.name);
      const { session } = profile;
      const valid = validIn(profile);
      if (valid !== undefined || !session) return valid ?? '';
      const { refreshToken } = session;
      const given = refreshToken === undefined ? undefined : await this.asked(session, refreshToken);
      if (!given) throw ended(profile);
      this.profiles.replace(this.name, { ...profile, ...given });
      return given.token;
    });
  }

  private async asked(session: StoredSession, refreshToken: string) {
    try {
      return await refreshed(session, refreshToken);
    } catch (error) {
      throw new CommandFailure(
        exitCodes.refused,
        `The sign-in cannot be renewed: ${session.issuer} did not answer as expected (${(error as Error).message}).`,
      );
    }
  }
}

function validIn({ token, session }: Profile): string | undefined {
  if (!session) return token;
  const isGood = session.refreshToken === undefined ? session.expiresAtMs > Date.now() : !isDue(session);
  return isGood ? token : undefined;
}

const ended = ({ url = '' }: Profile): CommandFailure =>
  new CommandFailure(exitCodes.denied, `Your sign-in has ended. Sign in again: stave login --url ${url}`);
