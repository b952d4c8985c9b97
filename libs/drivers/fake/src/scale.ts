import { setTimeout as pause } from 'node:timers/promises';
import { DriverError, type NodeScale } from '@stave/driver-sdk';

interface RemovalOption {
  /** Names of nodes. */
  readonly first?: readonly string[];
  readonly fault?: 'throws' | 'late' | 'unknown';
}

/** Which nodes go first: those that the option `removal` names, in its order. */
export const fakeScale: NodeScale = {
  async removalOrder(ctx, { options, nodes }) {
    const { first = [], fault } = (options['removal'] ?? {}) as RemovalOption;
    if (fault === 'throws')
      throw new DriverError('transient', 'the order of removal is not known, by the option removal');
    if (fault === 'late') await pause(60_000, undefined, { signal: ctx.signal });
    const unknown = fault === 'unknown' ? ['a-node-of-another-group'] : [];
    return [...unknown, ...first.flatMap(name => nodes.find(node => node.name === name)?.id ?? [])];
  },
};
