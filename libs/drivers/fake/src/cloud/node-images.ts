import { DriverError, type FailureCode, type Options } from '@stave/driver-sdk';
import type { FakeUnit } from './fake-unit.js';
import type { UnitTable } from './unit-table.js';

/** The images on each node: those that were pulled since the cloud was opened, and those of its containers. */
export class NodeImages {
  private readonly byHost = new Map<string, Set<string>>();

  constructor(private readonly units: UnitTable) {}

  /**
   * Returns how long the pull of a container's image takes, by its policy and the options `missingImages`, `deniedImages` and `pullMs`, in
   * milliseconds; 0 without a pull. Returns the error of an image that is not to be had.
   */
  pullMs({ hostUnit = '', attributes }: FakeUnit, options: Options): number | DriverError {
    const { image, pullPolicy = 'ifMissing', mayPullDenied } = attributes;
    const name = String(image);
    const isThere = this.imagesOf(hostUnit).has(name);
    if (pullPolicy === 'never' && !isThere)
      return refused('image-missing', `image ${name} is not on the node, and its pull policy is never`);
    if (pullPolicy === 'never' || (pullPolicy === 'ifMissing' && isThere)) return 0;
    if (names(options['missingImages']).includes(name))
      return refused('image-missing', `image ${name} does not exist in its registry`);
    if (names(options['deniedImages']).includes(name) && mayPullDenied !== true)
      return refused('image-denied', `the registry refuses image ${name} to these credentials`);
    return Number(options['pullMs'] ?? 0);
  }

  pulled({ hostUnit = '', attributes }: FakeUnit): void {
    this.imagesOf(hostUnit).add(String(attributes['image']));
  }

  forget(hostUnit: string): void {
    this.byHost.delete(hostUnit);
  }

  private imagesOf(hostUnit: string): Set<string> {
    const known = this.byHost.get(hostUnit);
    if (known) return known;
    const built = this.units.onHost(hostUnit).filter(({ kind, state }) => kind === 'container' && state !== 'creating');
    const images = new Set(built.map(({ attributes }) => String(attributes['image'])));
    this.byHost.set(hostUnit, images);
    return images;
  }
}

const refused = (code: FailureCode, message: string): DriverError => new DriverError('permanent', message, { code });

const names = (list: unknown): readonly unknown[] => (Array.isArray(list) ? list : []);
