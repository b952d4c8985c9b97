import { createHash, randomBytes } from 'node:crypto';
import { withChecksum } from '@stave/contracts';

/** A secret of an API key: it is shown once, and stored as its hash. */
export interface Secret {
  readonly text: string;
  /** The readable beginning, by which people recognise the key. */
  readonly prefix: string;
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Returns a random text of letters and digits. A byte beyond the last multiple of their number is left out, so that all are equally likely. */
function randomText(length: number): string {
  let text = '';
  while (text.length < length)
    for (const byte of randomBytes(2 * length)) if (byte < 248 && text.length < length) text += ALPHABET[byte % 62];
  return text;
}

const ID_LENGTH = 12;
/** 43 letters and digits are 256 bits. */
const SECRET_LENGTH = 43;

/** Returns a new random secret: `stv_<id>_<secret><checksum>`. */
export function newSecret(): Secret {
  const prefix = `stv_${randomText(ID_LENGTH)}`;
  return { prefix, text: withChecksum(`${prefix}_${randomText(SECRET_LENGTH)}`) };
}

export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** Returns the readable beginning of a secret; undefined for one of an earlier release. */
export const prefixOf = (secret: string): string | undefined => /^stv_[0-9A-Za-z]{12}(?=_)/.exec(secret)?.[0];
