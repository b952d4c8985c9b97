import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { DriverError, type DriverContext, type DriverSettings } from '@stave/driver-sdk';
import type { Cloud } from './cloud.js';

/** What all nodes and clients of a cluster share: authorities, keys, tokens, by name. */
export type SecretValues = Readonly<Record<string, string>>;

const [ivBytes, tagBytes, keyBytes] = [12, 16, 32];
const shortestKey = 16;

/**
 * Encrypts the secrets of clusters, so that the stack of a cluster can keep them: every conductor reads them, and who reads the stack sees
 * only the ciphertext. The key is the first line of HEAT_KEY_FILE, whose other lines are former keys; without the file the password of the cloud.
 */
export class SealedSecrets {
  private readonly derived = new Map<string, Buffer>();

  /** `lines`: those of the key file; undefined where there is none. */
  constructor(
    private readonly installation: string,
    private readonly lines: readonly string[] | undefined,
  ) {}

  /** Reads HEAT_KEY_FILE. Throws a permanent DriverError that contains no line of it. */
  static in(env: DriverSettings['env'], installation: string): SealedSecrets {
    const path = env['HEAT_KEY_FILE'];
    return new SealedSecrets(installation, path ? linesIn(path) : undefined);
  }

  /** Returns the secrets of a cluster in encrypted form. Only `open` for the same cluster reads it. */
  seal(cloud: Cloud, clusterId: string, values: SecretValues): string {
    const [passphrase = ''] = this.passphrases(cloud);
    const iv = randomBytes(ivBytes);
    const cipher = createCipheriv('aes-256-gcm', this.key(passphrase), iv).setAAD(Buffer.from(clusterId));
    const content = Buffer.concat([cipher.update(JSON.stringify(values), 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), content]).toString('base64');
  }

  /**
   * Returns the secrets of a cluster, and puts them into the store of the conductor, which keeps them out of its logs. Throws a permanent
   * DriverError when no key fits.
   */
  async open(
    ctx: Pick<DriverContext, 'secrets'>,
    cloud: Cloud,
    clusterId: string,
    sealed: string | undefined,
  ): Promise<SecretValues> {
    const all = Buffer.from(sealed ?? '', 'base64');
    const found = this.passphrases(cloud).map(passphrase => opened(this.key(passphrase), clusterId, all));
    const values = found.find(value => value !== undefined);
    if (!values) {
      const key = this.lines ? 'HEAT_KEY_FILE has not the key' : 'the password of the cloud is not the one';
      throw new DriverError('permanent', `${key} with which the secrets of cluster ${clusterId} were encrypted`);
    }
    for (const [name, value] of Object.entries(values)) await ctx.secrets.put(`${clusterId} ${name}`, value);
    return values;
  }

  private passphrases({ settings }: Cloud): readonly string[] {
    return this.lines ?? [settings.password];
  }

  private key(passphrase: string): Buffer {
    const found = this.derived.get(passphrase) ?? scryptSync(passphrase, `stave ${this.installation}`, keyBytes);
    this.derived.set(passphrase, found);
    return found;
  }
}

function opened(key: Buffer, clusterId: string, all: Buffer): SecretValues | undefined {
  if (all.length < ivBytes + tagBytes) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, all.subarray(0, ivBytes)).setAAD(Buffer.from(clusterId));
  decipher.setAuthTag(all.subarray(ivBytes, ivBytes + tagBytes));
  const content = [decipher.update(all.subarray(ivBytes + tagBytes))];
  try {
    content.push(decipher.final());
  } catch {
    // the tag does not fit: another key
    return undefined;
  }
  return JSON.parse(Buffer.concat(content).toString('utf8')) as SecretValues;
}

function linesIn(path: string): readonly string[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new DriverError('permanent', `HEAT_KEY_FILE=${path} cannot be read`, { cause });
  }
  const lines = text.split('\n').filter(line => line.trim() !== '');
  if (lines.length === 0 || lines.some(line => line.length < shortestKey))
    throw new DriverError('permanent', `HEAT_KEY_FILE=${path} needs a line of at least ${shortestKey} characters`);
  return lines;
}
