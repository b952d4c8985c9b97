import { aClusterSpec, aNodeSpec } from '@stave/driver-sdk/testing';
import { clusterTemplate, filled, nodeTemplate } from './template-definition.js';

describe('what the driver asks the fake cloud for', () => {
  it('is a cluster with its network and port, by the template of clusters', () => {
    const spec = aClusterSpec({ name: 'shop', labels: { tier: 'web' }, network: { cidr: '10.1.0.0/16' } });
    expect(clusterTemplate(spec)).toEqual({
      name: 'shop',
      labels: { tier: 'web' },
      network: { cidr: '10.1.0.0/16' },
      port: 2375,
      options: {},
    });
    expect(clusterTemplate({ ...spec, api: { port: 7000 } })).toMatchObject({ port: 7000 });
  });

  it('is a node by the template of nodes, without what its specification does not name', () => {
    const cluster = aClusterSpec({ options: { seed: 1 } });
    const spec = aNodeSpec({ cluster, name: 'w-1', ordinal: 1, image: 'fake:2', nodeGroup: { id: 'g', name: 'w' } });
    const asked = { name: 'w-1', group: 'g', ordinal: 1, role: 'worker', image: 'fake:2', labels: {}, taints: [] };
    expect(nodeTemplate(spec)).toEqual({ ...asked, flavor: spec.flavor, options: { seed: 1 } });
    const own = nodeTemplate({ ...spec, options: { seed: 2, latencyMs: 5 } });
    expect(own).toMatchObject({ options: { seed: 2, latencyMs: 5 }, groupOptions: { seed: 2, latencyMs: 5 } });
    expect(nodeTemplate({ ...spec, cluster: aClusterSpec() })).not.toHaveProperty('options');
  });

  it('is as large as the machine that a node is made of, and lost with it', () => {
    const size = { cpus: 8, memoryMb: 4_096 };
    expect(nodeTemplate(aNodeSpec(), { flavor: size, lostAfterMs: 50 })).toMatchObject({
      flavor: size,
      lostAfterMs: 50,
    });
  });

  it('has what the template of a fork adds, and lacks what it leaves out', () => {
    expect(filled({ name: '{{name}}', rack: 'r1', zone: '{{zone}}' }, { name: 'w-1', role: 'worker' })).toEqual({
      name: 'w-1',
      rack: 'r1',
    });
  });
});
