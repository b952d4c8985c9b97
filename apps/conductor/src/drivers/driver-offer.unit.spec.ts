import type { Driver, DriverManifest } from '@stave/driver-sdk';
import { offerOf } from './driver-offer.js';

const manifest: DriverManifest = {
  name: 'd',
  version: '1.0.0',
  sdk: '^1',
  engine: 'e',
  os: 'o',
  serverType: 's',
  capabilities: [],
  requiresEnabling: true,
  options: {},
};
const cluster = {} as Driver['cluster'];
const offered = (
  more: Partial<DriverManifest>,
  enabledByOperator: readonly string[],
  open: Pick<Driver, 'cluster' | 'flavor'> = { cluster },
) =>
  offerOf(
    {
      manifest: { ...manifest, ...more },
      directory: '/d',
      module: {
        open: () => Promise.reject(new Error('not opened')),
        restrictions: env => ({ nodeImages: [env['IMAGE'] ?? ''] }),
      },
    },
    { env: { IMAGE: 'own:1' }, enabledByOperator },
    open,
  ).manifest;

describe('offerOf', () => {
  it('offers a driver that must be enabled to the project default only, unless the operator names it', () => {
    expect(offered({}, [])).toMatchObject({ projects: ['default'] });
    expect(offered({}, ['other', 'd@2.0.0'])).toMatchObject({ projects: ['default'] });
    for (const name of ['d', 'd@1.0.0']) expect(offered({}, [name])).not.toHaveProperty('projects');
    expect(offered({ requiresEnabling: false }, [])).not.toHaveProperty('projects');
  });

  it('offers the actions on whole clusters that the open driver has', () => {
    const rebuild = () => Promise.reject(new Error('not called'));
    expect(offered({}, [], { cluster: { ...cluster, rebuild } })).toMatchObject({ clusterActions: ['rebuild'] });
    expect(offered({}, [])).not.toHaveProperty('clusterActions');
  });

  it('offers flavors by name where the manifest says so and the open driver knows them', () => {
    const flavor = () => Promise.reject(new Error('not called'));
    expect(offered({ namedFlavors: true }, [], { cluster, flavor })).toMatchObject({ namedFlavors: true });
    expect(offered({ namedFlavors: true }, [])).not.toHaveProperty('namedFlavors');
    expect(offered({}, [], { cluster, flavor })).not.toHaveProperty('namedFlavors');
  });

  it('offers what the settings of the driver allow', () => {
    expect(offered({}, [])).toMatchObject({ name: 'd', restrictions: { nodeImages: ['own:1'] } });
  });
});
