import {
  capabilityRefusal,
  fixedAttributeProblems,
  rollingOptions,
  scopeProblems,
  unchangeableOptions,
  clusterAttributeProblems,
  drivenClusterAttributes,
  drivenGroupAttributes,
  driverRefusal,
  groupAttributeProblems,
} from './driver-rules.js';
import { RingView } from './ring-view.js';

const flavor = { cpus: 1, memoryMb: 512, diskGb: 10 };
const cluster = {
  network: { driver: 'x', cidr: '10.0.0.0/24', options: {} },
  api: { port: 1 },
  defaults: { flavor, image: 'i', dataVolumeGb: 1 },
};
const all = ['network.driver', 'network.cidr', 'network.options', 'api.port', 'image', 'flavor.diskGb', 'dataVolumeGb'];

const ofCluster = (manifest: object, values: Partial<typeof cluster> = cluster): readonly string[] =>
  drivenClusterAttributes.flatMap(name =>
    clusterAttributeProblems({ ...manifest }, name, values[name]).map(p => `/${name}${p.pointer} ${p.code}`),
  );
const ofGroup = (manifest: object, values: object): readonly string[] =>
  drivenGroupAttributes.flatMap(name =>
    groupAttributeProblems({ ...manifest }, name, (values as Record<string, never>)[name]).map(
      p => `/${name}${p.pointer} ${p.code}`,
    ),
  );

describe('attributes that only a driver can honour', () => {
  it('reports each attribute that the manifest does not name, by its pointer', () => {
    expect(ofCluster({ name: 'd' })).toEqual([
      '/network/driver unsupported',
      '/network/cidr unsupported',
      '/network/options unsupported',
      '/api/port unsupported',
      '/defaults/flavor/diskGb unsupported',
      '/defaults/image unsupported',
      '/defaults/dataVolumeGb unsupported',
    ]);
    expect(ofGroup({ name: 'd', attributes: ['image'] }, { flavor, image: 'i', dataVolumeGb: 1 })).toEqual([
      '/flavor/diskGb unsupported',
      '/dataVolumeGb unsupported',
    ]);
  });

  it('accepts what the manifest names, absent attributes, and everything of a driver that no conductor offers', () => {
    expect(ofCluster({ name: 'd', attributes: all })).toEqual([]);
    expect(ofCluster({ name: 'd' }, {})).toEqual([]);
    expect(ofGroup({ name: 'd' }, { flavor: { cpus: 1, memoryMb: 1 }, image: null })).toEqual([]);
    expect(ofCluster({})).toEqual([]);
  });

  it('accepts only images that the operator or the manifest names', () => {
    const restrictions = { nodeImages: ['own:1'] };
    const manifest = { name: 'd', attributes: ['image'], restrictions, defaults: { image: 'base:1' } };
    for (const image of ['own:1', 'base:1']) expect(ofGroup(manifest, { image })).toEqual([]);
    for (const image of ['evil:1', 'own:1@sha256:0', 'docker.io/own:1'])
      expect(ofGroup(manifest, { image })).toEqual(['/image image-not-allowed']);
    expect(ofCluster(manifest, { defaults: { image: 'evil:1' } as never })).toEqual([
      '/defaults/image image-not-allowed',
    ]);
  });
});

describe('fixedAttributeProblems', () => {
  const manifest = { name: 'd', attributes: all, fixedAttributes: ['network.cidr', 'network.options', 'api.port'] };
  const problems = (next: object, offered: object = manifest) =>
    fixedAttributeProblems({ ...offered }, cluster, { ...cluster, ...next }).map(p => `${p.pointer} ${p.code}`);

  it('reports the attributes that change, whether they are set, removed or replaced', () => {
    expect(problems({ network: { cidr: '10.0.1.0/24', options: { a: 1 } }, api: {} })).toEqual([
      '/network/cidr unsupported',
      '/network/options unsupported',
      '/api/port unsupported',
    ]);
  });

  it('reports nothing that stays, that the manifest does not name, or whose driver is unknown', () => {
    expect(problems({ network: { ...cluster.network, driver: 'y', options: {} } })).toEqual([]);
    expect(problems({ network: {}, api: {} }, { name: 'd', attributes: all })).toEqual([]);
    expect(problems({ network: {}, api: {} }, {})).toEqual([]);
  });
});

describe('scopeProblems', () => {
  const options = { properties: { beat: { 'x-stave-scope': 'cluster' }, size: {} } };

  it('reports the options of a node group that only clusters have', () => {
    const problems = scopeProblems({ name: 'd', options }, { beat: 1, size: 1, other: 1 }, '/options');
    expect(problems.map(p => `${p.pointer} ${p.code}`)).toEqual(['/options/beat unsupported']);
    expect(scopeProblems({}, { beat: 1 }, '')).toEqual([]);
  });
});

describe('options whose change replaces nodes', () => {
  const options = { properties: { size: { 'x-stave-change': 'roll' }, tier: { 'x-stave-change': 'inPlace' }, a: {} } };

  it('are those that the schema of the driver marks', () => {
    expect(rollingOptions({ name: 'd', options })).toEqual(['size']);
    expect(rollingOptions({ name: 'd' })).toEqual([]);
    expect(rollingOptions({})).toBeUndefined();
  });

  it('are the only ones that a driver accepts which cannot update nodes', () => {
    const problems = unchangeableOptions({ name: 'd', capabilities: [], options }, ['size', 'tier', 'a/b']);
    expect(problems.map(p => `${p.pointer} ${p.code}`)).toEqual([
      '/options/tier unsupported',
      '/options/a~1b unsupported',
    ]);
    expect(unchangeableOptions({ name: 'd', capabilities: ['nodeUpdate'], options }, ['tier'])).toEqual([]);
    expect(unchangeableOptions({}, ['tier'])).toEqual([]);
  });
});

describe('capabilityRefusal', () => {
  it('refuses what a manifest does not declare, and nothing of an unknown driver', () => {
    const manifest = { name: 'd', capabilities: ['containers'] };
    expect(capabilityRefusal(manifest, 'containerLogs', 'logs')).toMatchObject({ code: 'unsupported' });
    expect(capabilityRefusal(manifest, 'containers', 'containers')).toBeUndefined();
    expect(capabilityRefusal(undefined, 'containers', 'containers')).toBeUndefined();
  });
});

describe('driverRefusal', () => {
  const ring = (...groups: readonly (readonly [group: string, projects?: readonly string[]])[]): RingView => {
    const view = new RingView();
    groups.forEach(([group, projects], i) => {
      const drivers = [{ name: 'd', version: '1.0.0', manifest: projects ? { projects } : {} }];
      const own = { weight: 1, release: '1', keyMode: 'group', kind: 'conductor' } as const;
      view.apply(
        { type: 'ConductorJoined', data: { conductor: `c${i}`, session: `s${i}`, group, drivers, ...own } },
        i,
      );
    });
    return view;
  };

  it('refuses projects that the offer does not name', () => {
    expect(driverRefusal(ring(['', ['default']]), '', 'd', 'p1')).toMatchObject({
      code: 'driver-not-allowed',
      kind: 'forbidden',
    });
    expect(driverRefusal(ring(['', ['default']]), '', 'd', 'default')).toBeUndefined();
    expect(driverRefusal(ring(['']), '', 'd', 'p1')).toBeUndefined();
    expect(driverRefusal(ring(['', ['default']]), '', 'other', 'p1')).toBeUndefined();
  });

  it('follows the strictest conductor of the conductor group, and no other group', () => {
    const view = ring(['a'], ['a', ['default']], ['b']);
    expect(driverRefusal(view, 'A', 'd', 'p1')).toMatchObject({ code: 'driver-not-allowed' });
    expect(driverRefusal(view, 'b', 'd', 'p1')).toBeUndefined();
  });
});
