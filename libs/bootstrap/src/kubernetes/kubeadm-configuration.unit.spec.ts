import { parse, parseAllDocuments } from 'yaml';
import { bootstrapNode, kubeconfig, type MachineFile, type NodeDescription } from '../index.js';
import { controlPlane, worker } from '../testing/descriptions.fixture.js';

const fileOf = (node: NodeDescription, path: string): MachineFile => {
  const found = bootstrapNode(node).files.find(file => file.path === path);
  if (!found) throw new Error(`no file ${path}`);
  return found;
};

describe('the configuration of a node of Kubernetes', () => {
  it('a machine that shares its kernel leaves modules, swap, connections and the OOM killer as they are', () => {
    const step = (node: NodeDescription): string =>
      bootstrapNode(node).files.find(({ path }) => path.endsWith('-kernel'))?.content ?? '';
    const documents = (node: NodeDescription): string[] =>
      parseAllDocuments(fileOf(node, '/etc/stave/once/kubeadm.yaml').content).map(document =>
        String(document.get('kind')),
      );
    const own = { ...controlPlane, sharesKernel: true };
    expect(step(controlPlane)).toMatch(/modprobe[^]*swapoff/);
    expect(step(own)).not.toMatch(/modprobe|swapoff/);
    expect(documents(own)).toEqual([...documents(controlPlane), 'KubeProxyConfiguration']);
    expect(fileOf(own, '/etc/containerd/config.toml').content).toContain('restrict_oom_score_adj = true');
    expect(fileOf(controlPlane, '/etc/containerd/config.toml').content).not.toContain('restrict_oom_score_adj');
    expect(() => fileOf(own, '/etc/modules-load.d/stave.conf')).toThrow('no file');
  });

  it('texts that are no texts in YAML 1.1, which Kubernetes reads, are quoted', () => {
    const taints = ['yes', 'off', '1_0', '0x1f'].map(value => ({ key: 'k', value, effect: 'NoSchedule' }) as const);
    const { content } = fileOf({ ...worker, taints }, '/etc/stave/once/kubeadm.yaml');
    const values = parseAllDocuments(content, { version: '1.1' }).map(document => document.toJS() as object);
    expect(values).toMatchObject([{ nodeRegistration: { taints } }]);
    const access = { server: 'https://h', user: 'on', authority: 'a', certificate: 'b', key: 'c' };
    expect(parse(kubeconfig({ ...access, cluster: 'no' }), { version: '1.1' })).toMatchObject({
      contexts: [{ context: { cluster: 'no', user: 'on' } }],
    });
  });
});
