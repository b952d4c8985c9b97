import { DriverError, type DriverContext } from '@stave/driver-sdk';
import type { EngineClient } from './engine-client.js';
import { findImage } from './image.js';

const loadTimeoutMs = 300_000;

/**
 * Copies an image from the host's engine to the node's engine when the node lacks it or has another version. Throws a permanent error when
 * neither engine has the image.
 */
export async function ensureImageOnNode(
  ctx: DriverContext,
  host: EngineClient,
  node: EngineClient,
  image: string,
): Promise<void> {
  const [onNode, onHost] = await Promise.all([findImage(ctx, node, image), findImage(ctx, host, image)]);
  if (onNode && (!onHost || onHost.Id === onNode.Id)) return;
  if (!onHost)
    throw new DriverError(
      'permanent',
      `image ${image} exists neither on the node nor on the engine of the host: pull or build it on the host`,
    );
  ctx.progress('load image');
  const timeoutMs = loadTimeoutMs;
  const archive = await host.download(ctx, `/images/${encodeURI(image)}/get`, { timeoutMs });
  const query = { quiet: true };
  const answer = await node.change<unknown>(ctx, 'POST', '/images/load', { query, upload: archive, timeoutMs });
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer ?? '');
  if (text.includes('errorDetail'))
    throw new DriverError('transient', `image ${image} could not be loaded: ${text.slice(-300)}`);
}
