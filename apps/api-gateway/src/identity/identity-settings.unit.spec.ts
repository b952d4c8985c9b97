import { identityUrls } from './identity-settings.js';

it('issuers, a Keystone and the URL for browsers are named with the setting that has them', () => {
  const issuer = { issuer: 'https://sso.example', audiences: ['a'], rules: [] };
  const keystone = { url: 'http://keystone.example:5000/v3', projects: {} };
  const setting = 'IDENTITY_FILE';
  const publicUrl = 'http://stave.example';
  expect(identityUrls({ identity: { issuers: [issuer], keystone }, publicUrl })).toEqual([
    { setting, url: issuer.issuer },
    { setting, url: keystone.url },
    { setting: 'PUBLIC_URL', url: publicUrl },
  ]);
});
