import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '@stave/testing';

/** Notes what is synced and renamed, in this order, before the script of backups runs. */
const recorder = `
const fs = require('node:fs');
const { fsyncSync, renameSync } = fs;
const note = line => fs.appendFileSync(process.env.SYNC_LOG, line + '\\n');
fs.fsyncSync = file => (fsyncSync(file), note('sync ' + fs.readlinkSync('/proc/self/fd/' + file)));
fs.renameSync = (from, to) => (renameSync(from, to), note('rename ' + to));
require('node:module').syncBuiltinESMExports();
`;

describe('npm run backup', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stave-durable-'));
    await mkdir(join(directory, 'data', 'event-store'), { recursive: true });
    await writeFile(join(directory, 'data', 'event-store', 'events.log'), 'events');
    await writeFile(join(directory, 'data', 'admin.key'), 'key');
    await writeFile(join(directory, 'recorder.cjs'), recorder);
  });
  afterEach(() => rm(directory, { recursive: true }));

  async function run(...args: readonly string[]): Promise<readonly string[]> {
    const log = join(directory, `${args[0]}.log`);
    const env = { ...process.env, SYNC_LOG: log, NODE_OPTIONS: `--require ${join(directory, 'recorder.cjs')}` };
    await promisify(execFile)(process.execPath, [join(repositoryRoot(), 'scripts', 'backup.mjs'), ...args], { env });
    return (await readFile(log, 'utf8')).trim().replaceAll(`${directory}/`, '').split('\n');
  }

  it('has every file and directory on the disk before the backup has its name, and the name before it reports success', async () => {
    const done = await run('create', join(directory, 'data'), join(directory, 'backup'));
    const draft = '.backup.incomplete';
    expect(done.slice(0, -2).sort()).toEqual(
      [draft, ...['admin.key', 'backup.json', 'event-store', 'event-store/events.log'].map(name => `${draft}/${name}`)]
        .flatMap(path => (path === draft ? [`sync ${path}`, `sync ${path}`] : [`sync ${path}`]))
        .sort(),
    );
    expect(done.slice(-2)).toEqual(['rename backup', `sync ${directory}`]);
  });

  it('restores in the same way', async () => {
    await run('create', join(directory, 'data'), join(directory, 'backup'));
    const done = await run('restore', join(directory, 'backup'), join(directory, 'restored'));
    const draft = 'restored/.restore.incomplete';
    const first = done.findIndex(line => line.startsWith('rename'));
    for (const name of ['admin.key', 'event-store/events.log', 'event-store'])
      expect(done.slice(0, first)).toContain(`sync ${draft}/${name}`);
    expect(done.at(-1)).toBe('sync restored');
  });
});
