import { parse } from 'yaml';
import { certificate } from '../testing/descriptions.fixture.js';
import { bootstrapTokenManifest, certificateHash, kubeconfig, newBootstrapToken } from './kubernetes-access.js';
import { kubernetesUpgrade } from './kubernetes-upgrade.js';
import { worker } from '../testing/descriptions.fixture.js';

describe('access to a Kubernetes cluster', () => {
  it('the hash of an authority is that of its public key, as openssl computes it', () => {
    expect(certificateHash(certificate)).toBe(
      'sha256:de6e9ec4fe88757b777da637aad7e431b94542aa12ca235aaa1a52b119f6791a',
    );
  });

  it('a kubeconfig embeds its certificates', () => {
    const server = 'https://10.0.0.5:6443';
    const text = kubeconfig({ cluster: 'shop', server, user: 'ops', authority: 'A', certificate: 'C', key: 'K' });
    expect(parse(text)).toMatchObject({
      'current-context': 'ops@shop',
      clusters: [{ name: 'shop', cluster: { server, 'certificate-authority-data': 'QQ==' } }],
      users: [{ name: 'ops', user: { 'client-certificate-data': 'Qw==', 'client-key-data': 'Sw==' } }],
    });
  });

  it('a bootstrap token has its form, and its Secret expires', () => {
    const token = newBootstrapToken(Array.from({ length: 22 }, (_, index) => (index * 7) % 36));
    expect(token).toMatch(/^[a-z0-9]{6}\.[a-z0-9]{16}$/);
    expect(() => newBootstrapToken([1, 2, 3])).toThrow(RangeError);
    expect(() => newBootstrapToken(Array.from({ length: 22 }, () => 36))).toThrow(RangeError);
    expect(bootstrapTokenManifest(token, new Date(0))).toMatchObject({
      metadata: { name: `bootstrap-token-${token.slice(0, 6)}`, namespace: 'kube-system' },
      stringData: { 'token-secret': token.slice(7), expiration: '1970-01-01T00:00:00.000Z' },
    });
  });
});

describe('the upgrade of a node', () => {
  it('installs kubeadm first, and everything in its version only after the control plane has it', () => {
    const scripts = kubernetesUpgrade(worker, { kind: 'worker', to: '1.35.1' });
    expect(scripts.map(({ name }) => name)).toEqual(['kubeadm', 'upgrade', 'programs', 'restart']);
    expect(scripts[0]?.script).toContain("packages=('kubeadm=1.35.1')");
    expect(scripts[1]?.script).toContain("kind='worker'");
    expect(scripts[2]?.script).toContain("'kubelet=1.35.1'");
  });

  it('of files downloads kubeadm first', () => {
    const files = ['kubeadm', 'kubelet'].map(name => ({
      url: `https://example.test/${name}`,
      sha256: '4'.repeat(64),
      path: `/usr/local/bin/${name}`,
    }));
    const scripts = kubernetesUpgrade(worker, { kind: 'worker', to: '1.35.1' }, files);
    expect(scripts[0]?.script).toContain("paths=('/usr/local/bin/kubeadm')");
    expect(scripts[2]?.script).toContain("paths=('/usr/local/bin/kubeadm' '/usr/local/bin/kubelet')");
  });
});
