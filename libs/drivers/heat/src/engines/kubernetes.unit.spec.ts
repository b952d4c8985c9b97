import { X509Certificate } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootstrapNode, cloudInitDocument, ignitionDocument } from '@stave/bootstrap';
import { aNodeSpec } from '@stave/driver-sdk/testing';
import { parse } from 'yaml';
import type { NodeSituation } from '../units/engine-definition.js';
import { kubernetesOn } from './kubernetes.js';

const network = { cidr: '10.144.0.0/20', firstAddress: '10.144.0.10' };
const manifest = join(mkdtempSync(join(tmpdir(), 'stave-network-')), 'network.yaml');
writeFileSync(manifest, `# ${'x'.repeat(5_000)}\nkind: DaemonSet\n`);
const env = { HEAT_KUBERNETES_NETWORK_FILE: manifest };
const kubernetes = kubernetesOn({ os: 'fedora-coreos', userData: 'ignition', templates: '' }, env);
const cluster = { id: 'c1', name: 'shop' };

async function situation(role: 'manager' | 'worker', overrides: Partial<NodeSituation> = {}): Promise<NodeSituation> {
  return {
    spec: aNodeSpec({ role, zone: 'az1', labels: { disk: 'fast' } }),
    machine: {
      ...{ os: 'fedora-coreos', hostname: 'node-0', software: { kind: 'installed' }, readyTimeoutSeconds: 600 },
      readiness: { kind: 'heat', endpoint: '__SIGNAL_ENDPOINT__', token: '__SIGNAL_TOKEN__' },
    },
    ...{ network, hasFirstAddress: role === 'manager', managers: [], joinWithinSeconds: 1_800 },
    secrets: await kubernetes.newSecrets(cluster, network),
    ...overrides,
  };
}

describe('nodes of Kubernetes', () => {
  it('the control plane with the first address makes the cluster, unless others have one', async () => {
    expect(await kubernetes.describe(await situation('manager'))).toMatchObject({ role: 'first-control-plane' });
    const again = await kubernetes.describe(await situation('manager', { managers: ['10.144.0.77'] }));
    expect(again).toMatchObject({ role: 'control-plane', joinCertificate: { server: '10.144.0.77:6443' } });
    const further = await kubernetes.describe(await situation('manager', { hasFirstAddress: false }));
    expect(further).toMatchObject({ role: 'control-plane', cluster: { endpoint: '10.144.0.10:6443' } });
  });

  it('a worker joins with a certificate that expires soon, and has no key of an authority', async () => {
    const given = await situation('worker');
    const node = await kubernetes.describe(given);
    if (node.engine !== 'kubernetes' || !node.joinCertificate) throw new Error('no certificate');
    const certificate = new X509Certificate(node.joinCertificate.certificate);
    expect(certificate.subject).toContain('O=system:bootstrappers:kubeadm:default-node-token');
    expect(Date.parse(certificate.validTo) - Date.now()).toBeLessThan(1_810_000);
    const text = JSON.stringify(node);
    for (const name of ['clusterKey', 'etcdKey', 'frontProxyKey', 'accountPrivateKey'])
      expect(text).not.toContain(JSON.stringify(given.secrets[name]).slice(1, -1));
  });

  it('the user data of every role is accepted by the bootstrapping and fits into what Nova accepts', async () => {
    const given = [
      await situation('worker'),
      await situation('manager'),
      await situation('manager', { hasFirstAddress: false }),
    ];
    for (const one of given) {
      const machine = bootstrapNode(await kubernetes.describe(one));
      const sizes = [cloudInitDocument(machine).length, ignitionDocument(machine).length];
      expect(Math.max(...sizes)).toBeLessThan((65_535 * 3) / 4);
    }
  });

  it('a cluster keeps the version that it was created with', async () => {
    const before = kubernetesOn(
      { os: 'fedora', userData: 'cloud-init', templates: '' },
      { HEAT_KUBERNETES_VERSION: '1.33.1' },
    );
    const secrets = await before.newSecrets(cluster, network);
    expect(await kubernetes.describe(await situation('worker', { secrets }))).toMatchObject({ version: '1.33.1' });
  });

  it('the kubeconfig of a client is of the authority of the cluster', async () => {
    const secrets = await kubernetes.newSecrets(cluster, network);
    const { kubeconfig = '' } = await kubernetes.credentials(cluster, network, secrets);
    const { users, clusters } = parse(kubeconfig) as {
      users: { user: Record<string, string> }[];
      clusters: { cluster: Record<string, string> }[];
    };
    expect(clusters[0]?.cluster['server']).toBe('https://10.144.0.10:6443');
    const client = new X509Certificate(Buffer.from(users[0]?.user['client-certificate-data'] ?? '', 'base64'));
    expect(client.verify(new X509Certificate(secrets['clusterCertificate'] ?? '').publicKey)).toBe(true);
  });

  it('a manifest of the network that cannot be read is named', () => {
    const wrong = { HEAT_KUBERNETES_NETWORK_FILE: '/nowhere/network.yaml' };
    expect(() => kubernetesOn({ os: 'fedora', userData: 'cloud-init', templates: '' }, wrong)).toThrow(
      '/nowhere/network.yaml',
    );
  });
});
