import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DriverError, type DriverContext } from '@stave/driver-sdk';
import { type Caller, type EngineClient, findImage, KeyedLock } from '@stave/docker';
import { defaultNodeImage } from './settings.js';

const recipes = join(__dirname, '..', 'image');
const recipeLabel = 'stave.recipe';
const importTimeoutMs = 300_000;

/** Describes how an image is built by a script of the folder `image`. */
export interface Recipe {
  readonly script: string;
  /** The files whose change results in a new image. */
  readonly files: readonly string[];
  readonly changes: readonly string[];
}

/** The image of nodes; `image/build.sh` makes the same. */
export const nodeRecipe: Recipe = {
  script: 'rootfs.sh',
  files: ['rootfs.sh', 'node-init.sh'],
  changes: ['ENTRYPOINT ["/usr/bin/docker-init","--","/usr/sbin/node-init"]', 'ENV PATH=/usr/sbin:/usr/bin'],
};

export class NodeImages {
  /** Runs one build at a time. The next caller repeats a build that failed or was stopped. */
  private readonly lock = new KeyedLock();

  constructor(
    private readonly host: EngineClient,
    private readonly configured: string,
    private readonly allowed: readonly string[],
  ) {}

  /**
   * Returns the image for a node that requests `wanted`. The default image is built from this machine's engine when it is missing or was
   * built by another recipe. Throws a permanent error when another image is missing or not allowed: it would run with the node's
   * capabilities on the host.
   */
  async ensure(ctx: DriverContext, wanted: string | undefined): Promise<string> {
    const image = wanted === undefined || wanted === defaultNodeImage ? this.configured : wanted;
    if (!this.allowed.includes(image)) {
      const message = `node image ${image} is not allowed: an operator lists it in NODE_IMAGES_ALLOWED`;
      throw new DriverError('permanent', message, { code: 'image-not-allowed' });
    }
    const onBuild = (): void => ctx.progress('build node image');
    if (image === defaultNodeImage)
      await this.lock.run('build', () => ensureBuilt(ctx, this.host, image, nodeRecipe, onBuild));
    else if (!(await findImage(ctx, this.host, image)))
      throw new DriverError('permanent', `node image ${image} does not exist on the host's engine: pull or build it`);
    return image;
  }
}

/** Builds an image when the engine lacks it or its recipe has changed. `onBuild` is called before a build. */
export async function ensureBuilt(
  caller: Caller,
  host: EngineClient,
  image: string,
  recipe: Recipe,
  onBuild?: () => void,
): Promise<void> {
  const present = await findImage(caller, host, image);
  const wanted = await hashOf(recipe);
  const actual = present?.Config?.Labels?.[recipeLabel];
  // an image without this label was built by the user and is used unchanged
  if (present && (actual === undefined || actual === wanted)) return;
  onBuild?.();
  await importRootfs(caller, host, image, {
    ...recipe,
    changes: [...recipe.changes, `LABEL ${recipeLabel}=${wanted}`],
  });
}

/** Returns the value of the label that an image of the recipe has. */
export async function hashOf(recipe: Recipe): Promise<string> {
  const hash = createHash('sha256');
  for (const file of recipe.files) hash.update(await readFile(join(recipes, file)));
  return hash.update(recipe.changes.join('\n')).digest('hex').slice(0, 16);
}

/** Streams the output of the script into the engine. Throws when the script or the import fails. */
async function importRootfs(caller: Caller, host: EngineClient, image: string, recipe: Recipe): Promise<void> {
  const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
  const script = spawn('bash', [join(recipes, recipe.script)], { stdio, signal: caller.signal });
  let errorOutput = '';
  script.stderr.on('data', chunk => (errorOutput = (errorOutput + String(chunk)).slice(-500)));
  const ended = new Promise<number | null>((resolve, reject) => script.once('error', reject).once('close', resolve));
  const colon = image.lastIndexOf(':');
  const changes = recipe.changes.join('\n');
  const query = { fromSrc: '-', repo: image.slice(0, colon), tag: image.slice(colon + 1), changes };
  const options = { query, upload: script.stdout, timeoutMs: importTimeoutMs };
  const imported = host.change<unknown>(caller, 'POST', '/images/create', options);
  const [end, answer] = await Promise.allSettled([ended, imported]);
  if (end.status === 'rejected')
    throw new DriverError('transient', `the build of ${image} was stopped`, { cause: end.reason });
  if (end.value !== 0) throw new DriverError('permanent', `the build of ${image} failed: ${errorOutput.trim()}`);
  if (answer.status === 'rejected') throw answer.reason;
  if (String(answer.value).includes('errorDetail'))
    throw new DriverError('transient', `the import of ${image} failed: ${String(answer.value).slice(-300)}`);
}
