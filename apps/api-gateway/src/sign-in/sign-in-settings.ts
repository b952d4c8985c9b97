import { readFileSync } from 'node:fs';
import { BadEnvironmentError, errorCode, type SettingsClass } from '@stave/platform';
import { ValidateBy } from 'class-validator';
import { identityOf, IsIdentityFile } from '../identity/identity-file.js';
import type { IdentitySettings } from '../identity/identity-settings.js';
import { sessionKeysIn } from './web-issuers.js';

/** A key of fewer characters could be guessed. */
const MIN_KEY = 32;

function isPublicUrl(value: unknown): boolean {
  const text = String(value);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHttp = url?.protocol === 'https:' || url?.protocol === 'http:';
  return isHttp && url.pathname === '/' && !/[?#]/.test(text) && url.username === '' && url.password === '';
}

/** Accepts the URL of a product as browsers see it, or an empty text. */
const IsPublicUrl = (): PropertyDecorator =>
  ValidateBy({
    name: 'isPublicUrl',
    validator: {
      validate: value => value === '' || isPublicUrl(value),
      defaultMessage: () =>
        'must be an https or http URL without path, query and fragment: a proxy has to give the product a host of its own',
    },
  });

function problemOfKeys(path: string): string {
  try {
    const keys = sessionKeysIn(readFileSync(path, 'utf8'));
    const isGood = keys.length > 0 && keys.every(key => key.length >= MIN_KEY);
    return isGood ? '' : `must name a file whose lines are keys of at least ${MIN_KEY} characters`;
  } catch (error) {
    return `names a file that cannot be read (${errorCode(error) ?? 'unknown error'})`;
  }
}

/** Accepts the path of a file with session keys, or an empty text. */
const IsSessionKeyFile = (): PropertyDecorator =>
  ValidateBy({
    name: 'isSessionKeyFile',
    validator: {
      validate: value => value === '' || problemOfKeys(String(value)) === '',
      defaultMessage: given => problemOfKeys(String(given?.value)),
    },
  });

/** Returns a class that also has the settings by which users sign in. */
export function withSignIn<Base extends SettingsClass>(base: Base) {
  class SignInEnvironment extends base {
    /** A JSON file with the issuers of tokens, and the roles that their claims give. Empty: API keys only. */
    @IsIdentityFile()
    IDENTITY_FILE = '';

    /** The URL by which browsers reach this product, such as `https://stave.example.com`. Empty: browsers sign in with API keys only. */
    @IsPublicUrl()
    PUBLIC_URL = '';

    /** A file with the keys that sessions of browsers are sealed with, a line each. Empty: derived from the secrets of the clients. */
    @IsSessionKeyFile()
    SESSION_KEY_FILE = '';
  }
  return SignInEnvironment;
}

type SignInEnvironment = InstanceType<ReturnType<typeof withSignIn<SettingsClass>>>;

/** Returns how users sign in. Throws BadEnvironmentError when browsers are to sign in and nothing says where they find this product. */
export function signInOf({ IDENTITY_FILE, PUBLIC_URL, SESSION_KEY_FILE }: SignInEnvironment): {
  readonly identity: IdentitySettings;
  readonly publicUrl: string;
  readonly sessionKeyFile: string;
} {
  const identity = identityOf(IDENTITY_FILE);
  if (PUBLIC_URL === '' && identity.issuers.some(({ web }) => web))
    throw new BadEnvironmentError(['PUBLIC_URL is required: an issuer in IDENTITY_FILE has `web`']);
  return { identity, publicUrl: PUBLIC_URL, sessionKeyFile: SESSION_KEY_FILE };
}
