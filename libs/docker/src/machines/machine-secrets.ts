import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DriverError } from '@stave/driver-sdk';

/** What a client of an engine with mutual TLS needs. */
export interface TlsFiles {
  readonly ca: Buffer;
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Where ssh finds a key and the keys of the hosts that it accepts. */
export interface SshFiles {
  readonly identity: string;
  readonly knownHosts: string;
  /** Differs as soon as one of the files does. */
  readonly version: string;
}

/** The secrets of machines, `<SECRETS_DIR>/machines/<name>`. They are read for each connection, so that new ones count at once. */
export class MachineSecrets {
  constructor(private readonly directory: string | undefined) {}

  async tls(secret: string): Promise<TlsFiles> {
    const [ca, cert, key] = await Promise.all(['ca.pem', 'cert.pem', 'key.pem'].map(file => this.read(secret, file)));
    return { ca, cert, key } as TlsFiles;
  }

  async ssh(secret: string): Promise<SshFiles> {
    const [identity, knownHosts] = [this.path(secret, 'id'), this.path(secret, 'known_hosts')];
    const seen = await Promise.all(
      ['id', 'known_hosts'].map(async file => {
        const { mtimeMs, ino, size } = await this.onDisk(secret, file, () => stat(this.path(secret, file)));
        return [mtimeMs, ino, size].join();
      }),
    );
    const version = createHash('sha256').update(seen.join(';')).digest('hex').slice(0, 8);
    return { identity, knownHosts, version };
  }

  private read(secret: string, file: string): Promise<Buffer> {
    return this.onDisk(secret, file, () => readFile(this.path(secret, file)));
  }

  private async onDisk<T>(secret: string, file: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
      // the cause has the whole path of this machine, which no user needs
      throw unreachable(`the file ${file} of the secret ${secret} cannot be read (${code})`);
    }
  }

  private path(secret: string, file: string): string {
    if (this.directory === undefined) throw unreachable(`the secret ${secret} is missing: SECRETS_DIR is not set`);
    return join(this.directory, 'machines', secret, file);
  }
}

/** Returns the error of an engine that does not answer now. */
export const unreachable = (message: string, cause?: unknown): DriverError =>
  new DriverError('transient', message, { code: 'engine-unreachable', ...(cause !== undefined && { cause }) });
