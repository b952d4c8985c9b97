import { exact, named, oneOf, primitives as p } from '@stave/contracts/schemas';

/** A removal that waits for its release, where a deletion policy has a hook. */
export const awaitedRelease = named('AwaitedRelease', {
  ...exact(
    { since: p.dateTime, until: p.dateTime, onTimeout: oneOf('proceed', 'abort') },
    {
      url: { ...p.anyString, description: 'where the release is asked for' },
      delivery: {
        ...oneOf('pending', 'delivered', 'failed'),
        description: 'whether the host at `url` took the request',
      },
    },
  ),
  description: 'present while the removal waits for its release; without one, `onTimeout` is done at the time `until`',
});
