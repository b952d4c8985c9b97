import { bootstrapNode, cloudInitDocument } from '@stave/bootstrap';
import { aNodeSpec } from '@stave/driver-sdk/testing';
import type { NodeSituation } from '@stave/heat';
import { mesosUbuntu } from './template-definition.js';

const network = { cidr: '10.144.0.0/20', firstAddress: '10.144.0.10' };
const cluster = { id: 'c1', name: 'shop' };

async function situation(role: 'manager' | 'worker', hasFirstAddress: boolean): Promise<NodeSituation> {
  return {
    spec: aNodeSpec({ role, zone: 'az1', labels: { disk: 'fast', note: 'two words' } }),
    machine: {
      ...{ os: 'ubuntu', hostname: 'node-0', software: { kind: 'installed' }, readyTimeoutSeconds: 600 },
      readiness: { kind: 'heat', endpoint: '__SIGNAL_ENDPOINT__', token: '__SIGNAL_TOKEN__' },
    },
    ...{ network, hasFirstAddress, managers: [], joinWithinSeconds: 1_800 },
    secrets: await mesosUbuntu.newSecrets(cluster, network),
  };
}

describe('the nodes of mesos_ubuntu', () => {
  it('are one master and agents, which find it by its address', async () => {
    const masters = [{ id: 1, host: '10.144.0.10' }];
    const master = await mesosUbuntu.describe(await situation('manager', true));
    expect(master).toMatchObject({ role: 'master', masterId: 1, cluster: { masters } });
    const agent = await mesosUbuntu.describe(await situation('worker', false));
    expect(agent).toMatchObject({ role: 'agent', cluster: { masters }, attributes: { disk: 'fast', zone: 'az1' } });
    expect(agent).not.toHaveProperty('attributes.note');
    for (const node of [master, agent])
      expect(cloudInitDocument(bootstrapNode(node)).length).toBeLessThan((65_535 * 3) / 4);
  });

  it('a second master is refused', async () => {
    const second = mesosUbuntu.describe(await situation('manager', false));
    await expect(second).rejects.toMatchObject({ failure: 'unsupported' });
  });
});
