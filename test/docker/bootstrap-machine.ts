import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { MachineConfiguration } from '@stave/bootstrap';

const execute = promisify(execFile);
const docker = async (...args: readonly string[]): Promise<string> =>
  (await execute('docker', [...args])).stdout.trim();
const image = 'stave/bootstrap-machine:test';

/** In the place of systemd, which does not run in the container; it knows one service, the engine. */
const systemctl = `#!/bin/bash
runs() { [ -s /run/docker.pid ] && kill -0 "$(cat /run/docker.pid)" 2>/dev/null; }
case $1 in
  is-active) runs ;;
  restart)
    if runs; then kill "$(cat /run/docker.pid)"; while runs; do sleep 0.2; done; fi
    setsid dockerd --host=unix:///run/docker.sock >>/var/log/engine.log 2>&1 </dev/null & ;;
esac
`;

/** What an engine in a container needs: mounts, networks, session keyrings, and a writable /proc/sys. */
const privileges = [
  ...['--cap-add', 'SYS_ADMIN', '--cap-add', 'NET_ADMIN', '--cgroupns', 'private'],
  ...['seccomp=unconfined', 'apparmor=unconfined', 'systempaths=unconfined'].flatMap(option => [
    '--security-opt',
    option,
  ]),
];

/** Without `--privileged` the cgroups are read-only. */
const writableCgroups = `
mount -o remount,bind,rw /sys || true
grep -E ' - cgroup2? ' /proc/self/mountinfo | cut -d' ' -f5 | while read -r place; do mount -o remount,bind,rw "$place"; done
mount --make-rshared /
`;

/** The packages that this machine has are those of the container, and can be held there. */
const ownPackages = `
mkdir -p /etc/apt/apt.conf.d /etc/apt/preferences.d /var/lib/apt/lists/partial /var/cache/apt/archives/partial
cp --recursive /packages /var/lib/dpkg
`;

/** Makes the image of the machines: only links to the programs of this machine, which the containers mount. */
export async function makeMachineImage(): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'stave-machine-image-'));
  for (const directory of ['bin', 'sbin', 'lib', 'lib64']) await symlink(`usr/${directory}`, join(root, directory));
  for (const directory of ['usr', 'etc', 'proc', 'sys', 'dev', 'run', 'tmp', 'root', 'var/log', 'var/lib/docker'])
    await mkdir(join(root, directory), { recursive: true });
  await symlink('/run', join(root, 'var/run'));
  await pipe(['tar', '-C', root, '-c', '.'], ['docker', 'import', '-', image]);
  await rm(root, { recursive: true });
}

/** Removes the image. */
export const removeMachineImage = async (): Promise<void> => void (await docker('rmi', '--force', image));

/** A container that is a machine of Debian with this machine's programs and an engine of its own, but without systemd. */
export class BootstrapMachine {
  private constructor(readonly name: string) {}

  static async start(hostname: string): Promise<BootstrapMachine> {
    const name = `bootstrap-${hostname}-${process.pid}`;
    const mounts = [
      '/usr:/usr:ro',
      '/etc/alternatives:/etc/alternatives:ro',
      '/var/lib/dpkg:/packages:ro',
      '/var/lib/docker',
    ];
    const limits = ['--memory', '512m', '--pids-limit', '512', '--tmpfs', '/usr/local:exec', '--tmpfs', '/run:exec'];
    const volumes = mounts.flatMap(mount => ['--volume', mount]);
    const options = ['--detach', '--rm', ...privileges, '--name', name, '--hostname', hostname, ...limits];
    await docker('run', ...options, ...volumes, image, 'docker-init', 'sleep', '900');
    const machine = new BootstrapMachine(name);
    try {
      await machine.exec('bash', '-c', `${writableCgroups}${ownPackages}`);
      await machine.write([{ path: '/usr/local/bin/systemctl', content: systemctl, mode: 0o755 }]);
    } catch (error) {
      await machine.remove();
      throw error;
    }
    return machine;
  }

  /** Puts the files of a configuration on the machine, as cloud-init does. */
  write(files: MachineConfiguration['files']): Promise<void> {
    return withFolder(async folder => {
      for (const { path, content, mode } of files) {
        const place = join(folder, path);
        await mkdir(dirname(place), { recursive: true });
        await writeFile(place, content);
        await chmod(place, mode);
      }
      await pipe(
        ['tar', '-C', folder, '--owner=0', '--group=0', '-c', ...files.map(({ path }) => path.slice(1))],
        ['docker', 'exec', '--interactive', this.name, 'tar', '-C', '/', '-x'],
      );
    });
  }

  /** Runs the steps and returns what they print. */
  bootstrap(): Promise<string> {
    return this.exec('bash', '-c', 'mkdir -p /var/lib/stave && /usr/local/lib/stave/bootstrap 2>&1');
  }

  /** Runs a program on the machine and returns what it prints. */
  exec(...command: readonly string[]): Promise<string> {
    return docker('exec', this.name, ...command);
  }

  /** Kills the engine of the machine. */
  async killEngine(): Promise<void> {
    await this.exec('bash', '-c', 'kill -KILL "$(cat /run/docker.pid)"');
  }

  /** Removes the machine with its data. */
  async remove(): Promise<void> {
    await docker('rm', '--force', '--volumes', this.name);
  }
}

async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'stave-machine-files-'));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Runs two programs, the output of the first one being the input of the second one. */
async function pipe(
  [from = '', ...fromArgs]: readonly string[],
  [to = '', ...toArgs]: readonly string[],
): Promise<void> {
  const source = spawn(from, fromArgs, { stdio: ['ignore', 'pipe', 'inherit'] });
  const target = spawn(to, toArgs, { stdio: [source.stdout, 'ignore', 'pipe'] });
  let errors = '';
  target.stderr.on('data', (piece: Buffer) => void (errors += piece.toString()));
  const [code] = (await once(target, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${to} ${toArgs.join(' ')} ended with ${code}: ${errors}`);
}
