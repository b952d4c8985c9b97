import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestAuthority, ThinLine } from '@stave/platform/testing';
import { ConfiguredNats, freePort, repositoryRoot } from '@stave/testing';
import { nkeys } from 'nats';
import { startDistributed, type DistributedStack } from './stack.js';

const SERVICES = ['api-gateway', 'cluster-service', 'nodegroup-service', 'container-scheduler'];

/** Short sessions keep the suite short. */
const env = { HEARTBEAT_MS: '500', SESSION_TIMEOUT_MS: '3000', ORPHAN_SWEEP_MS: '1000' };

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
 * The product with conductors in two far sites, with what docs/operate/far-sites.md shows: that of `site-a` reaches NATS over a WebSocket,
 * that of `site-b` over a leaf node of its own. Each site has a line of its own to the one port with TLS.
 */
export class FarSites {
  stack!: DistributedStack;
  hub!: ConfiguredNats;
  leaf!: ConfiguredNats;
  /** The one port that sites reach. */
  port!: number;
  /** The lines of the sites to the control plane. */
  readonly lines = new Map<string, ThinLine>();
  private readonly closing: (() => Promise<unknown>)[] = [];
  private readonly seeds = new Map<string, string>();
  private readonly keys = new Map<string, string>();

  private constructor(readonly directory: string) {
    this.closing.push(() => rm(directory, { recursive: true, force: true }));
  }

  static async start(): Promise<FarSites> {
    const sites = new FarSites(await mkdtemp(join(tmpdir(), 'stave-far-')));
    try {
      await sites.startAll();
      return sites;
    } catch (error) {
      await sites.close();
      throw error;
    }
  }

  line(site: 'site-a' | 'site-b'): ThinLine {
    const line = this.lines.get(site);
    if (!line) throw new Error(`${site} has no line`);
    return line;
  }

  async close(): Promise<void> {
    for (const close of this.closing.splice(0).reverse()) await close();
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
    const leaf = this.here(block('text', 'remotes'), 'site-b').replace(
      '<seed of site-b>',
      this.seeds.get('site-b') ?? '',
    );
    this.leaf = await this.server(leaf);
    const own = (name: string): Readonly<Record<string, string>> => ({
      NATS_URL: this.hub.url,
      NATS_NKEY_FILE: this.file(`${name}.nk`),
    });
    const far = this.settings(block('sh', 'wss://'), 'site-a');
    const behind = this.settings(block('sh', 'CONDUCTOR_GROUP=site-b'), 'site-b');
    this.stack = await startDistributed({
      dataDir: this.file('data'),
      conductors: [
        { id: 'site-a-1', group: 'site-a', env: far },
        { id: 'site-b-1', group: 'site-b', env: { ...behind, NATS_URL: this.leaf.url } },
      ],
      env,
      envOf: Object.fromEntries(SERVICES.map(name => [name, own(name)])),
    });
    this.closing.push(() => this.stack.close());
  }

  private async server(configuration: string): Promise<ConfiguredNats> {
    const nats = await ConfiguredNats.start(configuration);
    this.closing.push(() => nats.stop());
    return nats;
  }

  private file(name: string): string {
    return join(this.directory, name);
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
      await writeFile(this.file(`${name}.nk`), pair.getSeed(), { mode: 0o600 });
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
    const all = `${users}\n${block('text', 'leafnodes { listen')}`;
    return this.here(all, 'site-a')
      .replace('port: 443', `listen: "127.0.0.1:${port}"`)
      .replace('127.0.0.1:7422', `127.0.0.1:${leafPort}`);
  }

  /** Puts the files and the line of a site in the place of those of the page. */
  private here(text: string, site: string): string {
    return text
      .replaceAll(/\/etc\/(stave|nats)/g, this.directory)
      .replaceAll(/wss:\/\/nats\.stave\.example\.com(:443)?/g, `wss://localhost:${this.lines.get(site)?.port}`);
  }

  /** Returns the settings of NATS, and whether TLS is required, of a command of the page. */
  private settings(command: string, site: string): Readonly<Record<string, string>> {
    const all = [...this.here(command, site).matchAll(/\b([A-Z_]+)=(\S+)/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ]);
    const taken = all.filter(([name = '']) => /^(NATS_|REQUIRE_TLS)/.test(name));
    // the page names none
    return { ...Object.fromEntries(taken), HEALTH_PORT: '0' };
  }
}
