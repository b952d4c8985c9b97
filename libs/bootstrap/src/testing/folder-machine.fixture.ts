import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { MachineConfiguration } from '../machine/machine-configuration.js';
import { programs, recording } from './recording-programs.fixture.js';

/** Programs of this machine that scripts use as they are; every other one is a recording program. */
const real = [
  ...[
    'bash',
    'cat',
    'chmod',
    'cmp',
    'cp',
    'cut',
    'date',
    'dirname',
    'env',
    'flock',
    'grep',
    'head',
    'kill',
    'ln',
    'ls',
  ],
  ...['mkdir', 'mktemp', 'mv', 'openssl', 'rm', 'sed', 'setsid', 'sha256sum', 'tail', 'touch', 'tr', 'uname', 'wc'],
];
const ownDirectories = /(?<![\w.\/}-])\/(etc|var\/lib|usr\/local|usr\/share|opt|proc\/sys\/kernel|lib\/modules)\//g;

/** How a run of the steps ended. `killed`: at the chosen point. */
export interface Run {
  readonly status: 'succeeded' | 'failed' | 'killed';
  readonly output: string;
  /** The programs that were called in this run, with their arguments. */
  readonly calls: readonly string[];
}

/** A machine in a folder: the files of a configuration with their paths moved there, and recording programs in the place of the system's. */
export class FolderMachine {
  readonly root = mkdtempSync(join(tmpdir(), 'stave-machine-'));

  constructor(configuration: MachineConfiguration) {
    for (const { path, content, mode } of configuration.files) this.write(path, this.moved(content), mode);
    for (const { name, content } of configuration.units) this.write(`/etc/systemd/system/${name}`, content, 0o644);
    this.write('/proc/sys/kernel/hostname', 'localhost\n', 0o644);
    this.write('/etc/fstab', '/dev/vda1 / ext4 defaults 0 1\n/dev/vda2 none swap sw 0 0\n', 0o644);
    this.write('/usr/local/lib/stave/functions.sh', this.functions(), 0o644);
    for (const name of real) this.link(name);
    for (const [path, body] of Object.entries(programs)) this.write(path, this.program(path, body), 0o755);
    this.write('/bin/recording', recording, 0o644);
    mkdirSync(join(this.root, 'world'));
    mkdirSync(join(this.root, 'var/lib/stave'), { recursive: true });
  }

  /** Runs all steps. `killAt`: kills all processes of the machine at this point, counted over the calls of programs. */
  run(killAt?: number): Promise<Run> {
    writeFileSync(join(this.root, 'calls'), '');
    rmSync(join(this.root, 'points'), { force: true });
    const env = { ROOT: this.root, KILL_AT: String(killAt ?? 0), PATH: `${this.root}/bin` };
    const steps = join(this.root, 'usr/local/lib/stave/bootstrap');
    // setsid: what is killed is the group of the scripts, and not this process
    return new Promise(resolve => {
      execFile('setsid', ['--wait', steps], { env }, (error, stdout, stderr) => {
        const killed = existsSync(join(this.root, 'killed'));
        rmSync(join(this.root, 'killed'), { force: true });
        const status = killed ? 'killed' : error ? 'failed' : 'succeeded';
        resolve({ status, output: `${stdout}${stderr}`, calls: this.calls() });
      });
    });
  }

  private calls(): string[] {
    return readFileSync(join(this.root, 'calls'), 'utf8')
      .split('\n')
      .filter(line => line !== '');
  }

  /** Returns the content of a file of the machine; undefined when there is none. */
  read(path: string): string | undefined {
    const place = join(this.root, path);
    return existsSync(place) ? readFileSync(place, 'utf8') : undefined;
  }

  /** Creates or replaces a file of the machine. */
  write(path: string, content: string, mode: number): void {
    const place = join(this.root, path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, content);
    chmodSync(place, mode);
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  private moved(content: string): string {
    return content.replace(ownDirectories, `${this.root}/$1/`).replace(/^#!\/bin\/bash/, `#!${this.root}/bin/bash`);
  }

  private functions(): string {
    return this.read('/usr/local/lib/stave/functions.sh')!.replace(/^export PATH=.*$/m, `export PATH=${this.root}/bin`);
  }

  private program(path: string, body: string): string {
    return `#!${this.root}/bin/bash\n. "$ROOT/bin/recording" ${path.slice(path.lastIndexOf('/') + 1)} "$@"\n${this.moved(body)}\n`;
  }

  private link(name: string): void {
    const found = (process.env['PATH'] ?? '')
      .split(delimiter)
      .map(folder => join(folder, name))
      .find(existsSync);
    if (found === undefined) throw new Error(`this machine has no ${name}`);
    mkdirSync(join(this.root, 'bin'), { recursive: true });
    symlinkSync(found, join(this.root, 'bin', name));
  }
}
