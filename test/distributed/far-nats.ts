import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestAuthority, ThinLine } from '@stave/platform/testing';
import { ConfiguredNats, freePort, repositoryRoot } from '@stave/testing';
import { nkeys } from 'nats';

/** The processes of the control plane that have a user of NATS. */
export const SERVICES = ['api-gateway', 'cluster-service', 'nodegroup-service', 'container-scheduler'];

/** Prints the permissions of a user as an operator does. */
const permissionsOf = (...args: string[]): string =>
  execFileSync(join(repositoryRoot(), 'apps', 'all-in-one', 'bin', 'stave-admin.js'), ['nats-permissions', ...args], {
    encoding: 'utf8',
  });

const page = readFileSync(join(repositoryRoot(), 'docs', 'operate', 'far-sites.md'), 'utf8');
const blocksOf = (language: string): readonly string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, text = '']) => text);

/** Returns the block of the page that contains a text. Throws when there is none. */
function block(language: string, text: string): string {
  const found = blocksOf(language).find(each => each.includes(text));
  if (found === undefined) throw new Error(`the page about far sites has no block with ${text}`);
  return found;
}

/**
 * NATS of the control plane and the leaf node of `site-b` with the configurations of docs/operate/far-sites.md. Each site has a line of
 * its own to the one port with TLS.
 */
export class FarNats {
  hub!: ConfiguredNats;
  leaf!: ConfiguredNats;
  /** The one port that sites reach. */
  port!: number;
  /** The lines of the sites to the control plane. */
  private readonly lines = new Map<string, ThinLine>();
  private readonly closing: (() => Promise<unknown>)[] = [];
  private readonly seeds = new Map<string, string>();
  private readonly keys = new Map<string, string>();

  private constructor(readonly directory: string) {
    this.closing.push(() => rm(directory, { recursive: true, force: true }));
  }

  static async start(): Promise<FarNats> {
    const nats = new FarNats(await mkdtemp(join(tmpdir(), 'stave-far-')));
    try {
      await nats.startAll();
      return nats;
    } catch (error) {
      await nats.close();
      throw error;
    }
  }

  line(site: string): ThinLine {
    const line = this.lines.get(site);
    if (!line) throw new Error(`${site} has no line`);
    return line;
  }

  async close(): Promise<void> {
    for (const close of this.closing.splice(0).reverse()) await close();
  }

  file(name: string): string {
    return join(this.directory, name);
  }

  /** The file with the seed of a service or a site. */
  seedFile(name: string): string {
    return this.file(`${name}.nk`);
  }

  /** Returns the settings of NATS, and whether TLS is required, of the command of the page that contains a text. */
  settings(text: string, site: string): Readonly<Record<string, string>> {
    const command = this.here(block('sh', text), site);
    const all = [...command.matchAll(/\b([A-Z_]+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]);
    return Object.fromEntries(all.filter(([name = '']) => /^(NATS_|REQUIRE_TLS)/.test(name)));
  }

  private async startAll(): Promise<void> {
    await this.writeFiles();
    this.port = await freePort();
    for (const site of ['site-a', 'site-b']) {
      const line = await ThinLine.open(this.port);
      this.lines.set(site, line);
      this.closing.push(() => line.close());
    }
    this.hub = await this.server(this.hubConfiguration(this.port, await freePort()));
    const leaf = this.here(block('text', 'remotes'), 'site-b');
    this.leaf = await this.server(leaf.replace('<seed of site-b>', this.seeds.get('site-b') ?? ''));
  }

  private async server(configuration: string): Promise<ConfiguredNats> {
    const nats = await ConfiguredNats.start(configuration);
    this.closing.push(() => nats.stop());
    return nats;
  }

  private async writeFiles(): Promise<void> {
    const authority = await TestAuthority.create();
    const { cert, key } = await authority.issue('nats');
    for (const [name, text] of [
      ['tls.crt', cert],
      ['tls.key', key],
      ['ca.crt', authority.cert],
    ] as const)
      await writeFile(this.file(name), text);
    for (const name of [...SERVICES, 'site-a', 'site-b']) {
      const pair = nkeys.createUser();
      this.seeds.set(name, Buffer.from(pair.getSeed()).toString());
      this.keys.set(name, pair.getPublicKey());
      await writeFile(this.seedFile(name), pair.getSeed(), { mode: 0o600 });
    }
  }

  /** Returns the configuration of the page with real keys, permissions and places. */
  private hubConfiguration(port: number, leafPort: number): string {
    const users = block('text', '<cluster-service>').replace(
      /<([a-z-]+)>, permissions: \{ … \}/g,
      (_, name: string) => {
        const args = SERVICES.includes(name)
          ? ['--service', name]
          : ['--group', name, '--drivers', 'fake', ...(name === 'site-b' ? ['--leaf'] : [])];
        return `${this.keys.get(name)}, ${permissionsOf(...args)}`;
      },
    );
    const all = `${users}\n${block('text', '127.0.0.1:7422')}`;
    return this.here(all, 'site-a')
      .replace('port: 443', `listen: "127.0.0.1:${port}"`)
      .replace('127.0.0.1:7422', `127.0.0.1:${leafPort}`);
  }

  /** Puts the files and the line of a site in the place of those of the page. */
  private here(text: string, site: string): string {
    return text
      .replaceAll(/\/etc\/(stave|nats)/g, this.directory)
      .replaceAll(/wss:\/\/nats\.stave\.example\.com(:443)?/g, `wss://localhost:${this.line(site).port}`);
  }
}
