import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';

const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
/** Makes a secret that is short expensive to guess from what it has sealed. */
const COST = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };

/**
 * Seals texts, so that only those who know the same secret read and make them. The first secret seals, all of them open: so a secret can
 * be replaced while what was sealed with the former one is still in use.
 */
export class Seal {
  private readonly keys: readonly Buffer[];

  constructor(secrets: readonly string[]) {
    this.keys = secrets.map(secret => scryptSync(secret, 'stave-session', KEY_BYTES, COST));
  }

  /** Returns a text of characters that a cookie can have. It opens for the same purpose only. */
  seal(text: string, purpose: string): string {
    const [key] = this.keys;
    if (!key) throw new Error('there is no secret to seal with');
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(purpose));
    const sealed = [cipher.update(text, 'utf8'), cipher.final()];
    return Buffer.concat([iv, cipher.getAuthTag(), ...sealed]).toString('base64url');
  }

  /** Returns undefined for everything that was not sealed with one of the secrets and for this purpose. */
  open(sealed: string, purpose: string): string | undefined {
    const bytes = Buffer.from(sealed, 'base64url');
    if (bytes.length < IV_BYTES + TAG_BYTES) return undefined;
    for (const key of this.keys) {
      const text = opened(bytes, key, purpose);
      if (text !== undefined) return text;
    }
    return undefined;
  }
}

function opened(bytes: Buffer, key: Buffer, purpose: string): string | undefined {
  const [iv, rest] = [bytes.subarray(0, IV_BYTES), bytes.subarray(IV_BYTES)];
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(purpose))
    .setAuthTag(rest.subarray(0, TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(rest.subarray(TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    // the only failure of a decipher is that the tag does not fit
    return undefined;
  }
}
