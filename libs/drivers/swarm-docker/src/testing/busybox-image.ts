import type { Caller, EngineClient } from '@stave/docker';
import { ensureBuilt, type Recipe } from '../image.js';

const image = 'stave/busybox:1';
const recipe: Recipe = { script: 'busybox-rootfs.sh', files: ['busybox-rootfs.sh'], changes: ['CMD ["sh"]'] };

/**
 * Builds the image `stave/busybox:1` from this machine's busybox when the host's engine lacks it, and returns its name. It has a few
 * megabytes and a shell, for tests and demonstrations without a registry.
 */
export async function ensureBusyboxImage(caller: Caller, host: EngineClient): Promise<string> {
  await ensureBuilt(caller, host, image, recipe);
  return image;
}
