import type { ContainerRestrictions } from '../contract/restrictions.js';
import { containerProblems } from './container-restrictions.js';

const rules: ContainerRestrictions = {
  volumes: { local: { type: 'tmpfs', o: 'size=\\d+m' } },
  networks: { bridge: { mtu: '\\d+' } },
  reservedNetworks: ['host'],
  allowed: [],
  setting: 'THE_SETTING',
};
const volume = (options: object, driver?: string) => ({
  volumes: [
    { name: 'ok', mountPath: '/ok' },
    { name: 'v', mountPath: '/v', ...(driver === undefined ? {} : { driver }), options: { ...options } },
  ],
});
const pointers = (asked: Parameters<typeof containerProblems>[1], more: Partial<ContainerRestrictions> = {}) =>
  containerProblems({ ...rules, ...more }, asked).map(({ pointer }) => pointer);

describe('containerProblems', () => {
  it('reports nothing for a driver without restrictions', () => {
    expect(containerProblems(undefined, volume({ type: 'none', o: 'bind', device: '/' }))).toEqual([]);
  });

  it('reports each option of a bind volume by its pointer, with its name and the setting', () => {
    const problems = containerProblems(rules, volume({ type: 'none', o: 'bind', device: '/' }));
    expect(problems.map(({ pointer }) => pointer)).toEqual(
      ['type', 'o', 'device'].map(name => `/volumes/1/options/${name}`),
    );
    expect(problems[2]).toMatchObject({ code: 'option-not-allowed' });
    expect(problems[2]?.detail).toMatch(/option device=\/ .* by device in THE_SETTING/);
  });

  it('accepts values that match completely, and refuses values that contain a match', () => {
    expect(pointers(volume({ type: 'tmpfs', o: 'size=10m' }))).toEqual([]);
    expect(pointers(volume({ o: 'size=10m,bind' }))).toEqual(['/volumes/1/options/o']);
    expect(pointers(volume({ o: 'bind\nsize=10m' }))).toEqual(['/volumes/1/options/o']);
  });

  it('refuses other drivers of volumes and networks, and names that objects inherit', () => {
    expect(pointers(volume({}, 'plugin'))).toEqual(['/volumes/1/driver']);
    expect(pointers(volume({}, 'constructor'))).toEqual(['/volumes/1/driver']);
    expect(pointers(volume({ constructor: 'x' }))).toEqual(['/volumes/1/options/constructor']);
    expect(pointers({ network: { name: 'n', driver: 'macvlan' } })).toEqual(['/network/driver']);
  });

  it('refuses the networks of the engine and of other containers', () => {
    expect(pointers({ network: { name: 'host' } })).toEqual(['/network/name']);
    expect(pointers({ network: { name: 'container:abc' } })).toEqual(['/network/name']);
    expect(pointers({ network: { name: 'app', options: { mtu: 1400 } } })).toEqual([]);
  });

  it('accepts what the operator allows by name', () => {
    const allowed = ['type', 'o', 'device', 'plugin', 'host'];
    expect(pointers(volume({ type: 'none', o: 'bind', device: '/srv' }), { allowed })).toEqual([]);
    expect(pointers({ ...volume({ o: 'x' }, 'plugin'), network: { name: 'host' } }, { allowed })).toEqual([]);
    expect(pointers(volume({ type: 'none', device: '/srv' }), { allowed: ['type'] })).toEqual([
      '/volumes/1/options/device',
    ]);
  });
});
