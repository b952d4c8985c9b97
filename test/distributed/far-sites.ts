import type { ThinLine } from '@stave/platform/testing';
import { FarNats, SERVICES } from './far-nats.js';
import { startDistributed, type DistributedStack } from './stack.js';

/** Short sessions keep the suite short. */
const env = { HEARTBEAT_MS: '500', SESSION_TIMEOUT_MS: '3000', ORPHAN_SWEEP_MS: '1000' };
/** The page names no port of health. */
const HEALTH = { HEALTH_PORT: '0' };

/**
 * The product with conductors in two far sites, with what docs/operate/far-sites.md shows: that of `site-a` reaches NATS over a WebSocket,
 * that of `site-b` over a leaf node of its own.
 */
export class FarSites {
  private constructor(
    readonly nats: FarNats,
    readonly stack: DistributedStack,
  ) {}

  static async start(): Promise<FarSites> {
    const nats = await FarNats.start();
    try {
      return new FarSites(nats, await startStack(nats));
    } catch (error) {
      await nats.close();
      throw error;
    }
  }

  line(site: 'site-a' | 'site-b'): ThinLine {
    return this.nats.line(site);
  }

  async close(): Promise<void> {
    await this.stack.close();
    await this.nats.close();
  }
}

function startStack(nats: FarNats): Promise<DistributedStack> {
  const own = (name: string) => ({ NATS_URL: nats.hub.url, NATS_NKEY_FILE: nats.seedFile(name) });
  const far = { ...nats.settings('wss://', 'site-a'), ...HEALTH };
  const behind = { ...nats.settings('CONDUCTOR_GROUP=site-b', 'site-b'), ...HEALTH, NATS_URL: nats.leaf.url };
  return startDistributed({
    dataDir: nats.file('data'),
    conductors: [
      { id: 'site-a-1', group: 'site-a', env: far },
      { id: 'site-b-1', group: 'site-b', env: behind },
    ],
    env,
    envOf: Object.fromEntries(SERVICES.map(name => [name, own(name)])),
  });
}
