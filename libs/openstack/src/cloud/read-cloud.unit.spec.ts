import { readCloud } from './read-cloud.js';

const clouds = `
clouds:
  shop:
    region_name: one
    cacert: /etc/authorities.pem
    auth: {auth_url: "https://keystone.test:5000/", username: shop, project_name: shop, user_domain_name: Users, project_domain_id: d1}
  keys:
    auth_type: v3applicationcredential
    interface: outside
    auth: {auth_url: "https://keystone.test/v3"}
`;
const secure = 'clouds: {shop: {auth: {password: hidden}}}';
const files: Readonly<Record<string, string>> = {
  '/c.yaml': clouds,
  '/s.yaml': secure,
  '/home/ops/.config/openstack/clouds.yaml': clouds.replace('one', 'home'),
  '/home/ops/.config/openstack/secure.yaml': secure,
  '/etc/authorities.pem': 'PEM',
  '/broken.yaml': 'clouds: {password: "hidden',
};
const read = (path: string): string | undefined => files[path];
const named = { OS_CLIENT_CONFIG_FILE: '/c.yaml', OS_CLIENT_SECURE_FILE: '/s.yaml' };

describe('the settings of a cloud', () => {
  it('are an entry of clouds.yaml merged with that of secure.yaml', () => {
    expect(readCloud({ ...named, OS_CLOUD: 'shop' }, read)).toEqual({
      authUrl: 'https://keystone.test:5000/v3',
      user: { name: 'shop', domain: { name: 'Users' } },
      password: 'hidden',
      project: { name: 'shop', domain: { id: 'd1' } },
      region: 'one',
      interface: 'public',
      authorities: 'PEM',
    });
  });

  it('are those of the named entry rather than of OS_CLOUD, and in the usual place without a named file', () => {
    expect(readCloud({ HOME: '/home/ops', OS_CLOUD: 'nope' }, read, 'shop').region).toBe('home');
  });

  it('are the variables without an entry', () => {
    const env = {
      OS_AUTH_URL: 'http://k/v3',
      OS_USERNAME: 'u',
      OS_PASSWORD: 'p',
      OS_PROJECT_ID: 'id',
      OS_INTERFACE: 'internalURL',
      OS_REGION_NAME: '',
    };
    expect(readCloud(env, read)).toEqual({
      authUrl: 'http://k/v3',
      user: { name: 'u', domain: { name: 'Default' } },
      password: 'p',
      project: { id: 'id' },
      interface: 'internal',
    });
  });

  it('that are missing or unusable are all named, permanently and without a value', () => {
    const missing = 'the environment needs auth_url, password, username or user_id, project_name or project_id';
    expect(() => readCloud({}, read)).toThrow(missing);
    expect(() => readCloud(named, read, 'keys')).toThrow(/password.*username.*project_name.*auth_type.*interface/);
    expect(() => readCloud(named, read, 'lab')).toThrow('the cloud lab is not in clouds.yaml');
    expect(() => readCloud({ OS_CLIENT_CONFIG_FILE: '/none', OS_CLOUD: 'x' }, read)).toThrow('/none');
    const broken = (): unknown => readCloud({ OS_CLIENT_CONFIG_FILE: '/broken.yaml', OS_CLOUD: 'x' }, read);
    expect(broken).toThrow('/broken.yaml is not YAML');
    expect(broken).not.toThrow('hidden');
    expect(() =>
      readCloud({ ...named, OS_CLOUD: 'shop' }, path => (path.endsWith('pem') ? undefined : read(path))),
    ).toThrow('cacert');
  });
});
