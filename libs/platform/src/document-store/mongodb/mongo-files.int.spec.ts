import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { eventually } from '../../testing/eventually.js';
import { MongoFiles } from './mongo-files.js';

describe('files of the client of MongoDB', () => {
  it('the password of the user in the connection string is that of the file, also after it has changed', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'stave-mongo-password-'));
    const passwordFile = join(directory, 'password');
    await writeFile(passwordFile, 'cloudberry-77\n');
    const url = 'mongodb://st%40ve@a:1,b:2/?authSource=admin';
    const files = new MongoFiles({ url, files: { passwordFile }, readMs: 20 });
    try {
      const credentials = () => new MongoClient(url, files.options).options.credentials;
      expect(credentials()).toMatchObject({ username: 'st@ve', password: 'cloudberry-77', source: 'admin' });
      await writeFile(passwordFile, 'lingonberry-78');
      await eventually(() => credentials()?.password === 'lingonberry-78', 'the new password');
    } finally {
      files.close();
      await rm(directory, { recursive: true });
    }
  });
});
