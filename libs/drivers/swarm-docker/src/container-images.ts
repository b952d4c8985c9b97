import type { Readable } from 'node:stream';
import { createInterface } from 'node:readline';
import { DriverError, type ContainerSpec, type DriverContext } from '@stave/driver-sdk';
import { copyImage, type EngineClient, EngineError, findImage } from '@stave/docker';

const transferTimeoutMs = 290_000;

type Wanted = Pick<ContainerSpec, 'image' | 'pullPolicy' | 'imageCredentials'>;

/**
 * Provides a node with the image of a container. An image that the engine of the host has is copied from there, unless the policy is
 * `always`; others are pulled from their registry, unless it is `never`. Throws DriverError `permanent` with the code `image-missing` or
 * `image-denied`.
 */
export async function ensureImageOnNode(
  ctx: DriverContext,
  host: EngineClient,
  node: EngineClient,
  wanted: Wanted,
): Promise<void> {
  const { image, pullPolicy = 'ifMissing' } = wanted;
  if (pullPolicy === 'always') return pull(ctx, node, wanted);
  const [onNode, onHost] = await Promise.all([findImage(ctx, node, image), findImage(ctx, host, image)]);
  if (onNode && (!onHost || onHost.Id === onNode.Id)) return;
  if (onHost) return copyImage(ctx, image, { from: host, to: node, timeoutMs: transferTimeoutMs });
  if (pullPolicy === 'ifMissing') return pull(ctx, node, wanted);
  const message = `image ${image} is neither on the node nor on the engine of the host, and its pull policy is never`;
  throw new DriverError('permanent', message, { code: 'image-missing' });
}

async function pull(ctx: DriverContext, node: EngineClient, { image, imageCredentials }: Wanted): Promise<void> {
  ctx.progress(`pull image ${image}`);
  const headers: Record<string, string> =
    imageCredentials === undefined ? {} : { 'x-registry-auth': authOf(imageCredentials) };
  const options = { query: { fromImage: tagged(image) }, headers, timeoutMs: transferTimeoutMs };
  try {
    await finished(ctx, image, await node.changeStream(ctx, 'POST', '/images/create', options));
  } catch (error) {
    if (ctx.signal.aborted || !(error instanceof EngineError) || error.status === 0) throw error;
    throw pullError(image, error.message);
  }
}

/** Without a tag the engine would pull all of them. */
export function tagged(image: string): string {
  const last = image.slice(image.lastIndexOf('/') + 1);
  return last.includes(':') || last.includes('@') ? image : `${image}:latest`;
}

/** Returns the credentials `<user>:<password>` as the engine's API expects them. */
export function authOf(credentials: string): string {
  const colon = credentials.indexOf(':');
  const [username, password] =
    colon < 0 ? ['', credentials] : [credentials.slice(0, colon), credentials.slice(colon + 1)];
  // the engine decodes the URL alphabet with padding only
  const base64 = Buffer.from(JSON.stringify({ username, password })).toString('base64');
  return base64.replaceAll('+', '-').replaceAll('/', '_');
}

interface PullLine {
  readonly id?: string;
  readonly status?: string;
  readonly error?: string;
  readonly progressDetail?: { readonly current?: number; readonly total?: number };
}

/** Reads the engine's report of a pull to its end, and passes on each tenth of the bytes of all known layers. */
async function finished(ctx: DriverContext, image: string, report: Readable): Promise<void> {
  const layers = new Map<string, { readonly current: number; readonly total: number }>();
  let tenths = 0;
  for await (const line of createInterface({ input: report, crlfDelay: Infinity })) {
    const { id = '', status, error, progressDetail } = lineOf(line);
    if (error !== undefined) throw pullError(image, error);
    const { current, total } = progressDetail ?? {};
    if (status !== 'Downloading' || current === undefined || !total) continue;
    layers.set(id, { current, total });
    const sum = (of: 'current' | 'total'): number =>
      [...layers.values()].reduce((bytes, layer) => bytes + layer[of], 0);
    const now = Math.floor((10 * sum('current')) / sum('total'));
    if (now > tenths) ctx.progress(`pull image ${image}: ${now * 10} %`);
    tenths = Math.max(tenths, now);
  }
}

function lineOf(line: string): PullLine {
  if (line.trim() === '') return {};
  const parsed: unknown = JSON.parse(line);
  return typeof parsed === 'object' && parsed !== null ? parsed : {};
}

/** A registry that does not know an image, or does not show it to these credentials, will not do so at the next try. */
export function pullError(image: string, message: string): DriverError {
  const reason = message.replace(/^POST \/images\/create: \d+ /, '');
  const text = `image ${image} could not be pulled: ${reason}`;
  if (/denied|unauthorized|authentication required|no basic auth|forbidden/i.test(message))
    return new DriverError('permanent', text, { code: 'image-denied' });
  if (/manifest unknown|not found|does not exist|no such image|invalid reference/i.test(message))
    return new DriverError('permanent', text, { code: 'image-missing' });
  return new DriverError('transient', text);
}
