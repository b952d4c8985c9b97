import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeOn, endWithThisProcess, repositoryRoot } from '@stave/testing';
import { EmbeddedStack } from '../e2e/stack.js';
import { docsDirectory } from './doc-pages.js';
import { shellBlocks } from './shell-blocks.js';

jest.setTimeout(300_000);

const root = repositoryRoot();
const page = readFileSync(join(docsDirectory, 'contribute/your-first-driver.md'), 'utf8');
const packages = join(root, '.cache', 'ansible-core');

/** The program of Ansible that the reader installs in an environment of its own; undefined where it is missing. */
function ansible(): string | undefined {
  const own = process.env['ANSIBLE_PLAYBOOK'];
  if (own !== undefined) return `exec "${own}" "$@"`;
  const installed = join(packages, 'bin', 'ansible-playbook');
  return existsSync(installed) ? `PYTHONPATH="${packages}" exec python3 "${installed}" "$@"` : undefined;
}

/** One bash, as the reader's first terminal; the commands of npm run what is built already. */
class Terminal {
  private readonly child: ChildProcess;
  private readonly closed: Promise<true>;
  private output = '';

  constructor(home: string) {
    this.child = spawn('bash', [], { cwd: root, env: { ...process.env, HOME: home }, stdio: ['pipe', 'pipe', 'pipe'] });
    endWithThisProcess(this.child);
    this.closed = once(this.child, 'close').then(() => true);
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (data: Buffer) => (this.output += data.toString()));
    const dist = 'libs/drivers/sdk/dist';
    this.child.stdin?.write(`set -euo pipefail
npm() {
  local command=$2
  shift 3
  case $command in
    driver:new) node ${dist}/scaffold/new-driver.main.js "$@" ;;
    driver:check) node ${dist}/testing/check/check-driver.main.js "$@" ;;
  esac
}
`);
  }

  /** Runs a block, and returns what it prints. Rejects when a command of it fails. */
  async paste(text: string): Promise<string> {
    const from = this.output.length;
    const end = `end of block ${from}\n`;
    this.child.stdin?.write(`${text}\necho "${end.trim()}"\n`);
    while (!this.output.includes(end)) {
      const printed = once(this.child.stdout ?? this.child, 'data').then(() => false);
      const isClosed = await Promise.race([this.closed, printed]);
      if (isClosed && !this.output.includes(end))
        throw new Error(`a command of the page failed:\n${this.output.slice(-3_000)}`);
    }
    return this.output.slice(from);
  }

  async close(): Promise<void> {
    this.child.stdin?.end();
    await this.closed;
  }
}

describe('the page on the first driver', () => {
  let home: string;
  let terminal: Terminal;
  let product: EmbeddedStack | undefined;

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'stave-first-driver-'));
    const program = ansible();
    if (program !== undefined) {
      const bin = join(home, 'drivers', 'ansible', 'bin');
      mkdirSync(bin, { recursive: true });
      writeFileSync(join(bin, 'ansible-playbook'), `#!/bin/sh\n${program}\n`);
      chmodSync(join(bin, 'ansible-playbook'), 0o755);
    }
    terminal = new Terminal(home);
  });
  afterAll(async () => {
    await terminal.close();
    await product?.close();
    await rm(home, { recursive: true, force: true });
  });

  /** Runs the blocks below a heading. Those with `npm start` are of the second terminal. */
  async function follow(heading: string): Promise<string> {
    const start = page.indexOf(`\n## ${heading}\n`);
    expect([heading, start > 0]).toEqual([heading, true]);
    const end = page.indexOf('\n## ', start + 1);
    let output = '';
    for (const { text } of shellBlocks(page.slice(start, end === -1 ? undefined : end)))
      if (text.includes('npm start')) await restart(text);
      else output += await terminal.paste(inTest(text));
    return output;
  }

  const inTest = (text: string): string =>
    text
      .replaceAll('http://127.0.0.1:8080', product?.url ?? '')
      .replaceAll('data/', `${product?.dataDir ?? join(home, 'data')}/`);

  async function restart(block: string): Promise<void> {
    const dataDir = product?.dataDir ?? join(home, 'data');
    await product?.end('SIGTERM');
    const settings = [...block.matchAll(/\b([A-Z_]+)=(\S+)/g)].map(([, name = '', value = '']) => {
      return [name, value.replace('~', home)] as const;
    });
    product = await EmbeddedStack.start(dataDir, { CONDUCTOR_GROUPS: '', ...Object.fromEntries(settings) });
    await terminal.paste(`S=${product.url}`);
  }

  it('makes a driver outside of Stave that conforms to the contract', async () => {
    const output = await follow('Make it and check it');
    expect(output).toContain('acme_cloud@1.0.0 conforms to the contract');
  });

  it('runs it in the product', async () => {
    expect(await follow('Run it')).toMatch(/\{"items":\[(\{"infrastructureId":[^}]+\},?){3}\]\}/);
  });

  describeOn(
    ansible() === undefined ? 'no ansible-core: scripts/install-test-servers.sh installs it' : undefined,
    'with Ansible',
    () => {
      it('gives it an operation that runs a playbook, in which what users send is no template', async () => {
        const output = await follow('Give it an operation that runs a playbook');
        expect(output).toContain('acme_cloud@1.0.0 conforms to the contract');
        expect(output).toContain('{"changed":1}\nhello {{ 7 * 7 }}\ngreeting\n');
      });
    },
  );

  it('upgrades it beside its first version, which operates its clusters', async () => {
    const output = await follow('Upgrade it beside its first version');
    expect(output).toContain('acme_cloud@2.0.0 conforms to the contract');
    expect(output).toContain('"versions":["2.0.0","1.0.0"]');
  });

  it('forks a driver that ships, which differs in one template', async () => {
    const output = await follow('Fork a driver that ships');
    expect(output).toContain('acme_fedora@1.0.0: the manifest is valid and the main module loads');
    expect(output.match(/^Files .* differ$/gm)).toEqual([expect.stringContaining('cluster.yaml')]);
  });
});
