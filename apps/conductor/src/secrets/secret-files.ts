import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { DriverError, projectKeys } from '@stave/driver-sdk';

const NAME = /^[a-z0-9_-][a-z0-9._-]{0,62}$/;
/** Ids and names of projects. */
const PROJECT = /^[A-Za-z0-9][A-Za-z0-9-]{0,62}$/;
const LARGEST_BYTES = 64 * 1024;

/** Reads the secrets of projects from files: `<directory>/projects/<id or name of the project>/<name of the secret>`. */
export class SecretFiles {
  /** `directory`: absent when the conductor has none. */
  constructor(private readonly directory: string | undefined) {}

  /**
   * Returns the text of the first file that exists, without one line break at its end; undefined when there is none. `project`: its id, and its
   * name where that is known. Throws DriverError for a file that is too large. Links below the directory are not followed.
   */
  async read(project: readonly string[], name: string): Promise<string | undefined> {
    if (this.directory === undefined || !NAME.test(name)) return undefined;
    const [id = '', ownName] = project;
    for (const owner of projectKeys(id, ownName)) {
      const text = PROJECT.test(owner) ? await this.readFile(this.directory, owner, name) : undefined;
      if (text !== undefined) return text.replace(/\r?\n$/, '');
    }
    return undefined;
  }

  private async readFile(directory: string, owner: string, name: string): Promise<string | undefined> {
    try {
      const path = join(await realpath(directory), 'projects', owner, name);
      if ((await realpath(path)) !== path) return undefined;
      const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      try {
        const found = await file.stat();
        if (!found.isFile()) return undefined;
        if (found.size > LARGEST_BYTES) throw tooLarge(name);
        return await file.readFile('utf8');
      } finally {
        await file.close();
      }
    } catch (error) {
      if (isMissing(error)) return undefined;
      if (error instanceof DriverError) throw error;
      throw new DriverError('transient', `secret ${name} could not be read`, { cause: error });
    }
  }
}

const tooLarge = (name: string): DriverError =>
  new DriverError('permanent', `secret ${name} has more than ${LARGEST_BYTES} bytes`, { code: 'secret-unusable' });

const missing: readonly unknown[] = ['ENOENT', 'ENOTDIR', 'ELOOP'];

/** Whether there is no such file; a link in its place counts as none. */
const isMissing = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && missing.includes(error.code);
