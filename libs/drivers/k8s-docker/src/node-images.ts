import { findImage, type DockerEngine } from '@stave/docker';
import { DriverError, type DriverContext } from '@stave/driver-sdk';
import { defaultNodeImage } from './settings.js';

/** An image of nodes, and the version of Kubernetes in it. */
export interface NodeImage {
  readonly image: string;
  /** The same on each engine that has it. */
  readonly imageId: string;
  readonly version: string;
}

const versionLabel = 'stave.kubernetes';

/** Finds the images of nodes on the engine. The driver builds none, because that may take half an hour. */
export class NodeImages {
  constructor(
    private readonly host: DockerEngine,
    private readonly configured: string,
    private readonly allowed: readonly string[],
  ) {}

  /**
   * Returns the image for a node that requests `wanted`. Throws a permanent error when it is missing, is no image of a node, or is not
   * allowed: it would run with the node's capabilities on the machine.
   */
  async find(ctx: DriverContext, wanted: string | undefined): Promise<NodeImage> {
    const image = wanted === undefined || wanted === defaultNodeImage ? this.configured : wanted;
    if (!this.allowed.includes(image)) {
      const message = `node image ${image} is not allowed: an operator lists it in NODE_IMAGES_ALLOWED`;
      throw new DriverError('permanent', message, { code: 'image-not-allowed' });
    }
    const found = await findImage(ctx, this.host, image);
    if (!found) throw unknown(`node image ${image} does not exist on this engine: build it with image/build.sh`);
    const version = found.Config?.Labels?.[versionLabel];
    if (version === undefined) throw unknown(`node image ${image} has no label ${versionLabel} with its version`);
    return { image, imageId: found.Id, version };
  }
}

const unknown = (message: string): DriverError => new DriverError('permanent', message, { code: 'image-unknown' });
