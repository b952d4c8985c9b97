import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { endWithThisProcess, openStackMissing, repositoryRoot } from '@stave/testing';

/** Keystone is installed for the Python of Debian. */
const PYTHON = '/usr/bin/python3';

const PROGRAM = '/usr/bin/keystone-manage';
const PACKAGE = 'python3-keystone';

/** Returns why there is no Keystone; undefined where one can be started, which installs it where the tests of OpenStack run. */
export const keystoneMissing = (): string | undefined => (existsSync(PROGRAM) ? undefined : openStackMissing());

async function install(): Promise<void> {
  if (existsSync(PROGRAM)) return;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args: readonly string[]): Promise<unknown> => promisify(execFile)('apt-get', args, { env });
  const packages = ['install', '-y', '-qq', '--no-install-recommends', PACKAGE];
  await apt(...packages).catch(() => apt('update', '-qq').then(() => apt(...packages)));
}

interface Answer {
  readonly token: string | null;
  readonly body: Readonly<Record<string, { readonly id?: string }>>;
}

/** A real Keystone on SQLite, in a process of its own. */
export class Keystone {
  private constructor(
    private readonly directory: string,
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  private admin = '';

  static async start(): Promise<Keystone> {
    await install();
    const directory = await mkdtemp(join(tmpdir(), 'stave-keystone-'));
    const script = join(repositoryRoot(), 'test', 'identity', 'keystone.process.py');
    const child = spawn(PYTHON, [script, directory], { stdio: ['pipe', 'pipe', 'inherit'] });
    endWithThisProcess(child);
    const port = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout }).on('line', line => {
        const [, found] = /^port (\d+)$/.exec(line) ?? [];
        if (found !== undefined) resolve(found);
      });
      child.once('exit', code => reject(new Error(`Keystone ended with ${code} before it listened`)));
    });
    const keystone = new Keystone(directory, child, `http://127.0.0.1:${port}/v3`);
    keystone.admin = await keystone.token('admin', 'admin', { project: { name: 'admin', domain: { id: 'default' } } });
    return keystone;
  }

  /** Creates something, and returns its id. */
  async create(collection: string, body: Readonly<Record<string, object>>): Promise<string> {
    const [member = ''] = Object.keys(body);
    const id = (await this.send('POST', `/${collection}`, body)).body[member]?.id;
    if (id === undefined) throw new Error(`Keystone created nothing in ${collection}`);
    return id;
  }

  /** Gives a user a role in a project. */
  async grant(project: string, user: string, role: string): Promise<void> {
    const { roles } = (await this.send('GET', `/roles?name=${role}`)).body as unknown as { roles: { id: string }[] };
    await this.send('PUT', `/projects/${project}/users/${user}/roles/${roles[0]?.id}`);
  }

  /** Returns a token for the scope; without one an unscoped token. */
  async token(name: string, password: string, scope: object | 'unscoped'): Promise<string> {
    const user = { name, domain: { id: 'default' }, password };
    const auth = { identity: { methods: ['password'], password: { user } }, scope };
    const { token } = await this.send('POST', '/auth/tokens', { auth });
    if (token === null) throw new Error('Keystone answered no token');
    return token;
  }

  async revoke(token: string): Promise<void> {
    await this.send('DELETE', '/auth/tokens', undefined, { 'x-subject-token': token });
  }

  /** Ends the process. */
  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exit = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exit;
  }

  async close(): Promise<void> {
    await this.stop();
    await rm(this.directory, { recursive: true });
  }

  private async send(method: string, path: string, body?: object, more: Record<string, string> = {}): Promise<Answer> {
    const headers = { 'content-type': 'application/json', 'x-auth-token': this.admin, ...more };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(this.url + path, { method, headers, ...sent });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`Keystone answered ${method} ${path} with ${answer.status}: ${text}`);
    return {
      token: answer.headers.get('x-subject-token'),
      body: text === '' ? {} : (JSON.parse(text) as Answer['body']),
    };
  }
}
