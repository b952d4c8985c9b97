import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { problemsOfDescription } from '@stave/bootstrap';
import { aClusterSpec, aNodeSpec } from '@stave/driver-sdk/testing';
import { memberAccess } from '@stave/kubernetes';
import { parseAllDocuments } from 'yaml';
import { fileOf, tarOf } from './archive.js';
import { memberPatch, type MemberNode } from './cluster-member.js';
import { podNetwork } from './manifests.js';
import { machineContainerRequest, nodeContainerRequest } from './template-definition.js';
import { descriptionOf, memberName } from './node-description.js';
import { nodeImagesOf, readSettings } from './settings.js';

const worker = aNodeSpec({
  id: 'n1',
  name: 'Workers_0',
  role: 'worker',
  cluster: aClusterSpec({ labels: { team: 'a' } }),
  nodeGroup: { id: 'g1', name: 'workers' },
  zone: 'az1',
  labels: { disk: 'fast' },
  taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }],
});
const token = 'abcdef.0123456789abcdef';
const authorityHash = `sha256:${'0'.repeat(64)}`;
const at = { address: '10.0.0.5', publicAddress: '192.0.2.5', version: '1.34.2' };

describe('archives', () => {
  it('tar unpacks files with their permissions, and links', () => {
    const folder = mkdtempSync(join(tmpdir(), 'stave-archive-'));
    const content = `ü${'x'.repeat(600)}`;
    const archive = tarOf([
      { path: '/etc/a/b.conf', content, mode: 0o600 },
      { path: '/etc/wants/b', target: '/etc/a/b.conf' },
    ]);
    execFileSync('tar', ['--extract', '--directory', folder, '--no-same-owner'], { input: archive });
    expect(readFileSync(join(folder, 'etc/a/b.conf'), 'utf8')).toBe(content);
    expect(statSync(join(folder, 'etc/a/b.conf')).mode & 0o777).toBe(0o600);
    expect(readlinkSync(join(folder, 'etc/wants/b'))).toBe('/etc/a/b.conf');
    rmSync(folder, { recursive: true });
    expect(fileOf(archive)).toBe(content);
    expect(fileOf(tarOf([]))).toBeUndefined();
  });
});

describe('descriptions of nodes', () => {
  it('are valid for each way to become a member', () => {
    const pair = (name: string) => ({
      certificate: `-----BEGIN CERTIFICATE-----\n${name}\n-----END CERTIFICATE-----\n`,
      key: `-----BEGIN PRIVATE KEY-----\n${name}\n-----END PRIVATE KEY-----\n`,
    });
    const serviceAccount = {
      publicKey: '-----BEGIN PUBLIC KEY-----\nsa\n-----END PUBLIC KEY-----\n',
      privateKey: '-----BEGIN RSA PRIVATE KEY-----\nsa\n-----END RSA PRIVATE KEY-----\n',
    };
    const authorities = { cluster: pair('a'), frontProxy: pair('b'), etcd: pair('c'), serviceAccount };
    const manager = { ...worker, role: 'manager' } as const;
    const all = [
      descriptionOf(manager, at, { kind: 'init', token, authorities }),
      descriptionOf(manager, at, { kind: 'join', token, authorityHash, authorities }),
      descriptionOf(worker, at, { kind: 'join', token, authorityHash }),
    ];
    expect(all.map(description => description.role)).toEqual(['first-control-plane', 'control-plane', 'worker']);
    expect(all.flatMap(description => problemsOfDescription(description))).toEqual([]);
  });

  it('pod security is enforced everywhere but in kube-system', () => {
    const { cluster } = descriptionOf(worker, at, { kind: 'join', token, authorityHash });
    expect(cluster.admission).toEqual({ podSecurity: { level: 'baseline', exemptNamespaces: ['kube-system'] } });
  });

  it('names are valid in Kubernetes and differ where ids do', () => {
    const names = [worker, { ...worker, id: 'n2' }, { ...worker, name: '漢字' }].map(memberName);
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);
  });
});

describe('members', () => {
  const named = (overrides: Partial<MemberNode> = {}): MemberNode => ({
    metadata: { name: 'n', uid: 'u' },
    spec: {},
    ...overrides,
  });
  const noted = { 'stave.dev/labels': 'old,disk', 'stave.dev/taints': 'old' };

  it('get labels, zone and taints; what Stave set before is removed, and what others set stays', () => {
    const taints = [
      { key: 'old', effect: 'NoExecute' },
      { key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' },
    ];
    const metadata = { name: 'n', uid: 'u', labels: { old: '1', theirs: '2' }, annotations: noted };
    expect(memberPatch(named({ metadata, spec: { taints } }), worker)).toMatchObject({
      metadata: {
        labels: {
          old: null,
          team: 'a',
          disk: 'fast',
          'stave.node': 'n1',
          'stave.nodeGroup': 'g1',
          'topology.kubernetes.io/zone': 'az1',
        },
      },
      spec: { taints: [taints[1], { key: 'gpu', value: 'yes', effect: 'NoSchedule' }] },
    });
  });

  it('are left alone when nothing differs', () => {
    const patch = memberPatch(named(), worker) as {
      metadata: Partial<MemberNode['metadata']>;
      spec: MemberNode['spec'];
    };
    const metadata = { name: 'n', uid: 'u', ...patch.metadata };
    expect(memberPatch(named({ metadata, spec: patch.spec }), worker)).toBeUndefined();
  });
});

describe('containers of nodes', () => {
  const request = (spec: Parameters<typeof nodeContainerRequest>[0]) =>
    JSON.stringify(nodeContainerRequest(spec, { ...at, image: 'i', networkId: 'net', labels: {} }));

  it('only control planes have the name of the API', () => {
    expect(request({ ...worker, role: 'manager' })).toContain('"Aliases":["control-plane"]');
    expect(request(worker)).not.toContain('Aliases');
  });

  it('on machines are as large as these, and have the ports that the other nodes and the users need', () => {
    const size = { cpus: 8, memoryMb: 16_384 };
    const on = { ...at, image: 'i', subnet: '10.144.4.0/22', labels: {}, size };
    const made = machineContainerRequest({ ...worker, role: 'manager' }, on);
    expect(made).toMatchObject({
      ExposedPorts: { '4789/udp': {}, '6443/tcp': {} },
      HostConfig: {
        NanoCpus: 8e9,
        Memory: 2 ** 34,
        ExtraHosts: ['control-plane:10.144.4.1'],
        PortBindings: { '4789/udp': [{ HostPort: '4789' }], '6443/tcp': [{ HostPort: '6443' }] },
      },
    });
    expect(JSON.stringify(machineContainerRequest(worker, on))).not.toContain('6443');
  });

  it('have no device, no privileged mode and no directory of the machine', () => {
    const on = { ...at, image: 'i', subnet: '10.144.4.0/22', labels: {}, size: { cpus: 1, memoryMb: 1_024 } };
    for (const made of [request(worker), JSON.stringify(machineContainerRequest(worker, on))])
      expect(made).not.toMatch(/"(Privileged|Devices|DeviceCgroupRules|Binds)"|"bind"/);
  });
});

describe('manifests', () => {
  it('give members the right to change in one namespace only, and to read no secret anywhere else', () => {
    const objects = parseAllDocuments(memberAccess().text).map(
      document => document.toJS() as { kind: string; metadata: { namespace?: string }; roleRef?: { name: string } },
    );
    const bindings = objects.filter(({ kind }) => kind.endsWith('Binding'));
    const rights = bindings.map(({ kind, metadata, roleRef }) => `${kind} ${metadata.namespace} ${roleRef?.name}`);
    expect(rights.sort()).toEqual([
      'ClusterRoleBinding undefined stave-nodes-viewer',
      'ClusterRoleBinding undefined view',
      'RoleBinding default edit',
    ]);
  });

  it('the network of pods runs without privileges', () => {
    expect(podNetwork().text).not.toContain('privileged');
  });
});

describe('settings', () => {
  const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
  const read = (env: Readonly<Record<string, string>>) => readSettings({ installation: 'i', dataDir: '/d', env, log });

  it('users get no full rights unless the operator says so', () => {
    expect(read({}).tenantAdmin).toBe(false);
    expect(read({ K8S_DOCKER_TENANT_ADMIN: 'true' }).tenantAdmin).toBe(true);
    expect(() => read({ K8S_DOCKER_TENANT_ADMIN: 'yes' })).toThrow('K8S_DOCKER_TENANT_ADMIN=yes');
  });

  it('an engine on another machine is refused', () => {
    expect(() => read({ DOCKER_HOST: 'tcp://10.0.0.1:2375' })).toThrow('DOCKER_HOST=tcp://10.0.0.1:2375');
  });

  it('only images that the operator lists are nodes', () => {
    expect(nodeImagesOf({ NODE_IMAGES_ALLOWED: 'a:1, b:2,' })).toEqual(['stave/kubernetes-node:1.34.2', 'a:1', 'b:2']);
  });
});
