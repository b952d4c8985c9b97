import type { DriverManifest } from '@stave/driver-sdk';
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
const offered = (more: Partial<DriverManifest>, enabledByOperator: readonly string[]) =>
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
  ).manifest;

describe('offerOf', () => {
  it('offers a driver that must be enabled to the project default only, unless the operator names it', () => {
    expect(offered({}, [])).toMatchObject({ projects: ['default'] });
    expect(offered({}, ['other', 'd@2.0.0'])).toMatchObject({ projects: ['default'] });
    for (const name of ['d', 'd@1.0.0']) expect(offered({}, [name])).not.toHaveProperty('projects');
    expect(offered({ requiresEnabling: false }, [])).not.toHaveProperty('projects');
  });

  it('offers what the settings of the driver allow', () => {
    expect(offered({}, [])).toMatchObject({ name: 'd', restrictions: { nodeImages: ['own:1'] } });
  });
});
