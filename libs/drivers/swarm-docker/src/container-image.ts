import { DriverError, type DriverContext } from '@stave/driver-sdk';
import type { EngineClient } from './engine-client.js';
import { findImage } from './image.js';

const loadTimeoutMs = 300_000;

/**
 * Makes sure that a node's engine has an image: copied from the host's engine when it is absent there or older. An image that neither
 * has is a permanent error.
 */
export async function ensureImageOnNode(
  ctx: DriverContext,
  host: EngineClient,
  node: EngineClient,
  image: string,
): Promise<void> {
  const [there, here] = await Promise.all([findImage(ctx, node, image), findImage(ctx, host, image)]);
  if (there && (!here || here.Id === there.Id)) return;
  if (!here) throw new DriverError('permanent', `image ${image} is neither on the node nor on the host's engine`);
  ctx.progress('load image');
  const timeoutMs = loadTimeoutMs;
  const archive = await host.download(ctx, `/images/${encodeURI(image)}/get`, { timeoutMs });
  const query = { quiet: true };
  const answer = await node.change<unknown>(ctx, 'POST', '/images/load', { query, upload: archive, timeoutMs });
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer ?? '');
  if (text.includes('errorDetail')) throw new DriverError('transient', `image ${image}: ${text.slice(-300)}`);
}
