import { X509Certificate } from 'node:crypto';
import { bootstrapNode, cloudInitDocument } from '@stave/bootstrap';
import { aNodeSpec } from '@stave/driver-sdk/testing';
import type { NodeSituation } from '@stave/heat';
import { swarmFedora } from './template-definition.js';

const network = { cidr: '10.144.0.0/20', firstAddress: '10.144.0.10' };
const longestUserData = (65_535 * 3) / 4;

async function situation(overrides: Partial<NodeSituation> = {}): Promise<NodeSituation> {
  return {
    spec: aNodeSpec({ zone: 'az1', labels: { disk: 'fast' } }),
    machine: {
      ...{ os: 'fedora', hostname: 'workers-0', software: { kind: 'packages' }, readyTimeoutSeconds: 600 },
      readiness: { kind: 'heat', endpoint: '__SIGNAL_ENDPOINT__', token: '__SIGNAL_TOKEN__' },
    },
    network,
    hasFirstAddress: false,
    managers: [],
    secrets: await swarmFedora.newSecrets({ id: 'c1', name: 'shop' }, network),
    joinWithinSeconds: 1_800,
    ...overrides,
  };
}
const manager = (overrides: Partial<NodeSituation>) =>
  situation({ spec: aNodeSpec({ role: 'manager' }), ...overrides });

describe('the nodes of swarm_fedora', () => {
  it('the manager with the first address initializes the Swarm, unless other managers have one', async () => {
    const first = await swarmFedora.describe(await manager({ hasFirstAddress: true }));
    expect(first).toMatchObject({ role: 'first-manager', api: { port: 2_376 } });
    const again = await swarmFedora.describe(await manager({ hasFirstAddress: true, managers: ['10.144.0.77'] }));
    expect(again).toMatchObject({ role: 'manager', join: { managers: ['10.144.0.77:2377'] } });
    const further = await swarmFedora.describe(await manager({ managers: ['10.144.0.10'] }));
    expect(further).toMatchObject({ role: 'manager', join: { managers: ['10.144.0.10:2377'] } });
  });

  it('a worker knows the first address before a manager exists, and has a ticket that expires', async () => {
    const given = await situation();
    const node = await swarmFedora.describe(given);
    expect(node).toMatchObject({ role: 'worker', join: { managers: ['10.144.0.10:2377'] } });
    if (node.engine !== 'swarm' || !node.join || !('ticket' in node.join)) throw new Error('no ticket');
    const { certificate, authority } = node.join.ticket;
    const ticket = new X509Certificate(certificate);
    expect(ticket.verify(new X509Certificate(authority).publicKey)).toBe(true);
    const left = Date.parse(ticket.validTo) - Date.now();
    expect(left).toBeGreaterThan(1_400_000);
    expect(left).toBeLessThan(1_810_000);
    expect(JSON.stringify(node)).not.toContain(given.secrets['key']);
  });

  it('the certificate of a manager names what nodes and clients call it', async () => {
    const node = await swarmFedora.describe(await manager({ hasFirstAddress: true }));
    if (node.engine !== 'swarm' || !node.api) throw new Error('no API');
    const names = new X509Certificate(node.api.certificate).subjectAltName;
    expect(names).toContain('DNS:manager.stave.internal');
    expect(names).toContain('IP Address:10.144.0.10');
  });

  it('their user data is accepted by the bootstrapping and fits into what Nova accepts', async () => {
    for (const given of [await situation(), await manager({ hasFirstAddress: true }), await manager({})]) {
      const document = cloudInitDocument(bootstrapNode(await swarmFedora.describe(given)));
      expect(document.length).toBeLessThan(longestUserData);
      expect(document).not.toContain(given.secrets['key']?.split('\n')[1]);
    }
  });

  it('credentials are certificates of the cluster', async () => {
    const secrets = await swarmFedora.newSecrets({ id: 'c1', name: 'shop' }, network);
    const {
      endpoint,
      ca = '',
      cert = '',
    } = await swarmFedora.credentials({ id: 'c1', name: 'shop' }, network, secrets);
    expect(endpoint).toBe('tcp://10.144.0.10:2376');
    expect(new X509Certificate(cert).verify(new X509Certificate(ca).publicKey)).toBe(true);
  });
});
