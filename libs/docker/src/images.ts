import { DriverError, type DriverContext } from '@stave/driver-sdk';
import type { Caller, EngineClient } from './engine-client.js';
import { undefinedOn } from './engine-error.js';
import type { ImageDetails } from './engine-types.js';

/** Returns the name of an image for the path of a request, in which it cannot begin a query. */
export const imagePath = (image: string): string => image.split('/').map(encodeURIComponent).join('/');

export function findImage(caller: Caller, engine: EngineClient, image: string): Promise<ImageDetails | undefined> {
  return undefinedOn([404], engine.read<ImageDetails>(caller, `/images/${imagePath(image)}/json`));
}

/** Between which engines an image is copied, and how long that may take. */
export interface ImageCopy {
  readonly from: EngineClient;
  readonly to: EngineClient;
  readonly timeoutMs: number;
}

/** Copies an image from one engine to another, as a stream. */
export async function copyImage(ctx: DriverContext, image: string, { from, to, timeoutMs }: ImageCopy): Promise<void> {
  ctx.progress(`load image ${image}`);
  const upload = await from.download(ctx, `/images/${imagePath(image)}/get`, { timeoutMs });
  const answer = await to.change<unknown>(ctx, 'POST', '/images/load', { query: { quiet: true }, upload, timeoutMs });
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer ?? '');
  if (text.includes('errorDetail'))
    throw new DriverError('transient', `image ${image} could not be loaded: ${text.slice(-300)}`);
}
