import { identityUrls } from './identity-settings.js';

it('issuers and a Keystone are named with the setting that has their URLs', () => {
  const issuer = { issuer: 'https://sso.example', audiences: ['a'], rules: [] };
  const keystone = { url: 'http://keystone.example:5000/v3', projects: {} };
  const setting = 'IDENTITY_FILE';
  expect(identityUrls({ issuers: [issuer] })).toEqual([{ setting, url: issuer.issuer }]);
  expect(identityUrls({ issuers: [issuer], keystone })).toEqual([
    { setting, url: issuer.issuer },
    { setting, url: keystone.url },
  ]);
});
