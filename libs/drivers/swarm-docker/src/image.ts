import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DriverError, type DriverContext } from '@stave/driver-sdk';
import type { Caller, EngineClient } from './engine-client.js';
import { unless } from './engine-error.js';
import type { ImageDetails } from './engine-types.js';
import { defaultNodeImage } from './settings.js';

const recipes = join(__dirname, '..', 'image');
const recipeLabel = 'stave.recipe';
const importTimeoutMs = 300_000;

interface Recipe {
  readonly script: string;
  /** Everything whose change makes another image. */
  readonly files: readonly string[];
  readonly changes: readonly string[];
}

const nodeRecipe: Recipe = {
  script: 'rootfs.sh',
  files: ['rootfs.sh', 'node-init.sh'],
  changes: ['ENTRYPOINT ["/usr/bin/docker-init","--","/usr/sbin/node-init"]', 'ENV PATH=/usr/sbin:/usr/bin'],
};

const busyboxRecipe: Recipe = { script: 'busybox-rootfs.sh', files: ['busybox-rootfs.sh'], changes: ['CMD ["sh"]'] };

/** A few megabytes with a shell: for tests and demonstrations where no image can be pulled. */
export const busyboxImage = 'stave/busybox:1';

/** Makes `stave/busybox:1` on the host engine from this machine's busybox where it is not there. */
export async function ensureBusyboxImage(caller: Caller, host: EngineClient): Promise<string> {
  await ensureBuilt(caller, host, busyboxImage, busyboxRecipe);
  return busyboxImage;
}

/** Finds or makes the image that nodes run. */
export class NodeImages {
  private building: Promise<void> | undefined;

  constructor(
    private readonly host: EngineClient,
    private readonly configured: string,
  ) {}

  /**
   * The image for a node that asks for `wanted`. The default image is built from this machine's own engine when it is absent or
   * of another recipe; any other that is absent is a permanent error.
   */
  async ensure(ctx: DriverContext, wanted: string | undefined): Promise<string> {
    const image = wanted === undefined || wanted === defaultNodeImage ? this.configured : wanted;
    if (image === defaultNodeImage) {
      await this.buildOnce(ctx);
    } else if (!(await findImage(ctx, this.host, image))) {
      throw new DriverError('permanent', `node image ${image} is not on the host's engine`);
    }
    return image;
  }

  /** Nodes that are created side by side share one build; a build that failed or was stopped is not kept. */
  private async buildOnce(ctx: DriverContext): Promise<void> {
    while (this.building) await this.building.catch(() => undefined); // its own starter reports the failure
    this.building = ensureBuilt(ctx, this.host, defaultNodeImage, nodeRecipe, () => ctx.progress('build node image'));
    try {
      await this.building;
    } finally {
      this.building = undefined;
    }
  }
}

/** The image as the engine knows it, or undefined. */
export function findImage(caller: Caller, engine: EngineClient, image: string): Promise<ImageDetails | undefined> {
  return unless([404], engine.read<ImageDetails>(caller, `/images/${encodeURI(image)}/json`));
}

async function ensureBuilt(
  caller: Caller,
  host: EngineClient,
  image: string,
  recipe: Recipe,
  onBuild?: () => void,
): Promise<void> {
  const present = await findImage(caller, host, image);
  const wanted = await hashOf(recipe);
  const actual = present?.Config?.Labels?.[recipeLabel];
  if (present && (actual === undefined || actual === wanted)) return; // without our label it is the user's own: taken as it is
  onBuild?.();
  await importRootfs(caller, host, image, recipe, wanted);
}

async function hashOf(recipe: Recipe): Promise<string> {
  const hash = createHash('sha256');
  for (const file of recipe.files) hash.update(await readFile(join(recipes, file)));
  return hash.update(recipe.changes.join('\n')).digest('hex').slice(0, 16);
}

/** The script's output goes straight into the engine; it fails when either end fails. */
async function importRootfs(
  caller: Caller,
  host: EngineClient,
  image: string,
  recipe: Recipe,
  hash: string,
): Promise<void> {
  const script = spawn('bash', [join(recipes, recipe.script)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: caller.signal,
  });
  let complaint = '';
  script.stderr.on('data', chunk => (complaint = (complaint + String(chunk)).slice(-500)));
  const ended = new Promise<number | null>((resolve, reject) => script.once('error', reject).once('close', resolve));
  const [repo, tag] = splitTag(image);
  const changes = [...recipe.changes, `LABEL ${recipeLabel}=${hash}`].join('\n');
  const query = { fromSrc: '-', repo, tag, changes };
  const imported = host.change<unknown>(caller, 'POST', '/images/create', {
    query,
    upload: script.stdout,
    timeoutMs: importTimeoutMs,
  });
  const [end, answer] = await Promise.allSettled([ended, imported]);
  if (end.status === 'rejected')
    throw new DriverError('transient', `build of ${image}: stopped`, { cause: end.reason });
  if (end.value !== 0) throw new DriverError('permanent', `build of ${image}: ${complaint.trim()}`);
  if (answer.status === 'rejected') throw answer.reason;
  if (String(answer.value).includes('errorDetail')) {
    throw new DriverError('transient', `build of ${image}: ${String(answer.value).slice(-300)}`);
  }
}

function splitTag(image: string): [string, string] {
  const colon = image.lastIndexOf(':');
  return [image.slice(0, colon), image.slice(colon + 1)];
}
