import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { execPath } from 'node:process';
import { eventually } from '../../../testing/eventually.js';
import { anEvent } from '../../contract/contract.fixture.js';
import { EmbeddedEventStore } from '../embedded.event-store.js';

const ownNamespaces = ['unshare', '--pid', '--net', '--uts', '--fork', '--kill-child=SIGKILL'];
const mayUnshare = spawnSync('unshare', [...ownNamespaces.slice(1), 'true']).status === 0;
/** Defines a test that needs namespaces of its own. It is skipped where they are not allowed, and fails there with CI=true. */
function inNamespaces(name: string, test: () => Promise<void>): void {
  if (mayUnshare) it(name, test);
  else if (process.env['CI'] === 'true')
    it(name, () => {
      throw new Error('no test may be skipped with CI=true: unshare is not allowed here');
    });
  else it.skip(`${name} (skipped: unshare is not allowed here)`, test);
}
const mount = (...args: string[]): boolean => spawnSync('mount', args).status === 0;

const children = new Set<ChildProcess>();
let directory = '';
let file = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stave-lock-'));
  file = join(directory, 'events.log');
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  await rm(directory, { recursive: true });
});

interface Opening {
  readonly child: ChildProcess;
  /** `open`, or why the log could not be opened. */
  readonly said: string;
}

/** Starts a process that opens the log and keeps it open. */
async function openElsewhere(prefix: readonly string[] = [], at = directory): Promise<Opening> {
  const loader = join(__dirname, '..', '..', '..', 'testing', 'register-typescript.cjs');
  const [command = execPath, ...args] = [
    ...prefix,
    execPath,
    '--require',
    loader,
    join(__dirname, 'lock-holder.fixture.ts'),
    at,
  ];
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.add(child);
  const [said] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { child, said };
}

async function opens(): Promise<void> {
  await (await EmbeddedEventStore.open({ directory })).close();
}

describe('the lock of the embedded event log', () => {
  it('is refused to a second store of the same process, and free after close', async () => {
    const store = await EmbeddedEventStore.open({ directory });
    await expect(EmbeddedEventStore.open({ directory })).rejects.toMatchObject({ name: 'LogInUseError', file });
    await store.append('s-1', [anEvent()], 'no_stream');
    await store.close();
    await opens();
    await expect(stat(`${file}.lock`)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('is refused while another process has the log open, and free at once when that process is killed', async () => {
    const { child, said } = await openElsewhere();
    expect(said).toBe('open');
    const refused = await EmbeddedEventStore.open({ directory }).catch((error: unknown) => error);
    expect(String(refused)).toContain(`events.log is in use by process ${child.pid} on `);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await opens();
  });

  inNamespaces('is seen from other PID, network and host name namespaces, in both directions', async () => {
    const first = await openElsewhere(ownNamespaces);
    expect(first.said).toBe('open');
    expect((await openElsewhere(ownNamespaces)).said).toContain('events.log is in use by process 1 on ');
    await expect(EmbeddedEventStore.open({ directory })).rejects.toMatchObject({ name: 'LogInUseError' });
    first.child.kill('SIGKILL'); // ends the namespace
    await eventually(() => opens().then(() => true), 'the log opens when the namespace has ended');
    const store = await EmbeddedEventStore.open({ directory });
    expect((await openElsewhere(ownNamespaces)).said).toContain(`events.log is in use by process ${process.pid} on `);
    await store.close();
  });

  inNamespaces('is seen through another path to the same file', async () => {
    const other = await mkdtemp(join(tmpdir(), 'stave-lock-mounted-'));
    const isMounted = mount('--bind', directory, other);
    try {
      const store = await EmbeddedEventStore.open({ directory });
      if (isMounted) expect((await openElsewhere(ownNamespaces, other)).said).toContain('events.log is in use by');
      await store.close();
    } finally {
      if (isMounted) spawnSync('umount', [other]);
      await rm(other, { recursive: true });
    }
  });

  it('is seen through a symbolic link to a folder that was moved', async () => {
    const link = `${directory}-link`;
    await symlink(directory, link);
    const store = await EmbeddedEventStore.open({ directory: link });
    await expect(EmbeddedEventStore.open({ directory })).rejects.toMatchObject({ name: 'LogInUseError' });
    expect(await store.append('s-1', [anEvent()], 'no_stream')).toEqual({ revision: 0, position: 0 });
    await store.close();
    await rm(link);
    await opens();
  });

  it('is not kept by a child that outlives the process, and not lost with the file that names the holder', async () => {
    const store = await EmbeddedEventStore.open({ directory });
    await rm(`${file}.lock`);
    expect((await openElsewhere()).said).toContain('events.log is in use by another process');
    const child = spawn('sleep', ['60'], { stdio: 'ignore' });
    children.add(child);
    await store.close();
    await opens();
  });

  it('is granted when the machine was restarted, on a file system that no other machine has', async () => {
    const holder = { pid: 1, host: 'before', boot: 'another boot', since: '2026-01-01T00:00:00.000Z' };
    await writeFile(`${file}.lock`, JSON.stringify(holder));
    await opens();
    await writeFile(`${file}.lock`, Buffer.alloc(100));
    await opens();
  });

  it('is refused when the file that names the holder cannot be understood', async () => {
    await writeFile(`${file}.lock`, '4194303 12345 gone');
    await expect(EmbeddedEventStore.open({ directory })).rejects.toThrow(/when you are certain .* delete this file/);
    expect(await readFile(`${file}.lock`, 'utf8')).toBe('4194303 12345 gone');
    await rm(`${file}.lock`);
    await opens();
  });

  it('is of the log that is there: a restored copy can be opened while the moved one is still open', async () => {
    const store = await EmbeddedEventStore.open({ directory });
    await rename(file, `${file}.moved`);
    await copyFile(`${file}.moved`, file);
    await rm(`${file}.lock`);
    await opens();
    await store.close();
  });

  inNamespaces('is refused after another boot, where the kernel of another machine may hold it', async () => {
    const holder = { pid: 7, host: 'other', boot: 'another boot', since: '2026-01-01T00:00:00.000Z' };
    if (!mount('-t', 'ramfs', 'ramfs', directory)) return; // a type that is not known to be of one kernel
    try {
      await opens();
      await writeFile(`${file}.lock`, JSON.stringify(holder));
      await expect(EmbeddedEventStore.open({ directory })).rejects.toThrow(
        /was not closed by process 7 on other, .* that machines may share .* delete .*events\.log\.lock/,
      );
      await rm(`${file}.lock`);
      await opens();
      const { child, said } = await openElsewhere();
      expect(said).toBe('open');
      child.kill('SIGKILL');
      await once(child, 'exit');
      await opens();
    } finally {
      spawnSync('umount', [directory]);
    }
  });
});
