import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { DriverContext } from '@stave/driver-sdk';
import { pollUntil } from '../poll-until.js';

const run = promisify(execFile);
const sshd = '/usr/sbin/sshd';

/** An ssh server of this machine. */
export interface SshServer {
  readonly child: ChildProcess;
  readonly port: number;
}

/** Starts an ssh server on the loopback interface. The directory gets its key `host`, and the key `id` that it accepts. */
export async function startSshServer(ctx: DriverContext, directory: string): Promise<SshServer> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  for (const key of ['host', 'id'])
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'test', '-f', join(directory, key)]);
  const port = await freePort();
  await copyFile(join(directory, 'id.pub'), join(directory, 'authorized_keys'));
  const settings = {
    Port: port,
    ListenAddress: '127.0.0.1',
    HostKey: join(directory, 'host'),
    AuthorizedKeysFile: join(directory, 'authorized_keys'),
    PidFile: 'none',
    StrictModes: 'no',
    UsePAM: 'no',
    PermitRootLogin: 'prohibit-password',
    AllowStreamLocalForwarding: 'yes',
  };
  const lines = Object.entries(settings).map(([key, value]) => `${key} ${value}`);
  await writeFile(join(directory, 'config'), `${lines.join('\n')}\n`);
  await mkdir('/run/sshd', { recursive: true, mode: 0o755 });
  const child = spawn(sshd, ['-D', '-f', join(directory, 'config')], { stdio: 'ignore' });
  child.unref();
  await pollUntil(ctx, { what: 'start of sshd', withinMs: 20_000 }, () => answers(port));
  return { child, port };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise(done => server.close(done));
  return port;
}

async function answers(port: number): Promise<true | undefined> {
  try {
    await run('ssh-keyscan', ['-p', String(port), '-T', '2', '127.0.0.1']);
    return true;
  } catch {
    return undefined;
  }
}
