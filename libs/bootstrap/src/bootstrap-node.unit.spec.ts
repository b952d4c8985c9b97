import { parse, parseAllDocuments } from 'yaml';
import {
  bootstrapNode,
  cloudInitDocument,
  ignitionDocument,
  InvalidDescriptionError,
  problemsOfDescription,
} from './index.js';
import type { MachineFile, NodeDescription } from './index.js';
import {
  certificate,
  controlPlane,
  fullControlPlane,
  machine,
  mesosMaster,
  nodes,
  secrets,
  swarmManager,
  swarmWorker,
  worker,
  workerWithCertificate,
} from './testing/descriptions.fixture.js';

const fileOf = (node: NodeDescription, path: string): MachineFile => {
  const found = bootstrapNode(node).files.find(file => file.path === path);
  if (!found) throw new Error(`no file ${path}`);
  return found;
};
const problemsOf = (value: unknown): string[] =>
  problemsOfDescription(value).map(({ pointer, code }) => `${pointer} ${code}`);

describe('descriptions of nodes', () => {
  it.each(Object.entries(nodes))('%s is valid, and its documents are the same each time', (_, node) => {
    expect(problemsOfDescription(node)).toEqual([]);
    expect(cloudInitDocument(bootstrapNode(node))).toBe(cloudInitDocument(bootstrapNode(structuredClone(node))));
    expect(ignitionDocument(bootstrapNode(node))).toBe(ignitionDocument(bootstrapNode(structuredClone(node))));
  });

  it('every field that is wrong is named, in all parts of a description at once', () => {
    const wrong = {
      ...controlPlane,
      hostname: 'Node 1',
      os: 'plan9',
      version: 'v1.34',
      extra: true,
      software: { kind: 'packages', repositories: [{ name: 'x', url: 'ftp://x' }] },
      readiness: { kind: 'smoke' },
      joinToken: { token: 'short' },
      cluster: { name: 'shop', endpoint: 'nowhere', network: { kind: 'manifest' }, addons: [{ name: 'a' }] },
      labels: { 'a b': 'c', d: 'e f' },
    };
    expect(problemsOf(wrong).sort()).toEqual([
      '/cluster/addons/0/text required',
      '/cluster/endpoint pattern',
      '/cluster/network/manifest required',
      '/extra unknown',
      '/hostname pattern',
      '/joinToken/token pattern',
      '/labels pattern',
      '/labels propertyNames',
      '/labels/d pattern',
      '/os enum',
      '/readiness/kind enum',
      '/software/repositories/0/signingKey required',
      '/software/repositories/0/url pattern',
      '/version pattern',
    ]);
  });

  it('says what a schema cannot: addresses, subnets, reserved labels, old versions, authorities that are missing', () => {
    const wrong = {
      ...worker,
      role: 'control-plane',
      address: '10.0.0.256',
      os: 'fedora-coreos',
      version: '1.30.0',
      labels: { 'node-role.kubernetes.io/gpu': '', 'topology.kubernetes.io/zone': 'az1', 'acme.example/x': 'y' },
      cluster: { ...worker.cluster, podSubnet: '10.244.0.1/16', serviceSubnet: '10.96.0.0/33' },
    };
    expect(problemsOf(wrong).sort()).toEqual([
      '/address not-an-address',
      '/authorities required',
      '/cluster/podSubnet not-a-network',
      '/cluster/serviceSubnet not-a-network',
      '/labels/node-role.kubernetes.io~1gpu reserved',
      '/software/kind unsupported',
      '/version unsupported',
    ]);
  });

  it('roles have the fields that they need and no others', () => {
    expect(problemsOf({ ...machine, engine: 'swarm', role: 'worker' })).toEqual(['/join required']);
    expect(problemsOf({ ...swarmManager, join: swarmWorker.join })).toEqual(['/join unknown']);
    expect(problemsOf({ ...worker, joinToken: { token: secrets.bootstrapToken } })).toEqual([
      '/joinToken/authorityHashes required',
    ]);
    expect(problemsOf({ ...worker, certificateKey: secrets.certificateKey })).toEqual(['/certificateKey unknown']);
    expect(problemsOf({ ...machine, engine: 'nomad' })).toEqual(['/engine enum']);
    expect(problemsOf(undefined)).toEqual(['/engine required']);
  });

  it('masters of Mesos are an odd number with ids of their own, on a system that has ZooKeeper', () => {
    const masters = [1, 1].map(id => ({ id, host: '10.0.0.5' }));
    const wrong = { ...mesosMaster, os: 'fedora', masterId: 3, cluster: { ...mesosMaster.cluster, masters } };
    expect(
      problemsOf({ ...wrong, cluster: { ...wrong.cluster, masters: [masters[0], { id: 1, host: 'b' }] } }).sort(),
    ).toEqual(['/cluster/masters even', '/cluster/masters/1/id duplicate', '/masterId unknown', '/os unsupported']);
  });

  it('a refusal names the fields and contains no value', () => {
    const refused = (): unknown => bootstrapNode({ ...swarmWorker, join: { managers: ['m:1'], token: 'my secret' } });
    expect(refused).toThrow(InvalidDescriptionError);
    expect(refused).toThrow('/join/token');
    expect(refused).not.toThrow('my secret');
  });
});

describe('what machines are given', () => {
  it.each(Object.entries(nodes))(
    '%s: secrets are only in files that only root reads, in no script and no unit',
    (_, node) => {
      const { files, units } = bootstrapNode(node);
      for (const secret of Object.values(secrets)) {
        const places = files.filter(file => file.content.includes(secret));
        expect(places.filter(file => file.mode !== 0o600 || file.content.startsWith('#!'))).toEqual([]);
        expect(units.filter(unit => unit.content.includes(secret))).toEqual([]);
      }
    },
  );

  it('the user data of the largest node fits into what Nova accepts', () => {
    const sizes = Object.values(nodes).map(node => cloudInitDocument(bootstrapNode(node)).length);
    expect(Math.max(...sizes)).toBeLessThan((65_535 * 3) / 4);
  });

  it('a node with a certificate joins by a kubeconfig of its own, and no token', () => {
    const join = parse(fileOf(workerWithCertificate, '/etc/stave/once/kubeadm.yaml').content) as Record<
      string,
      unknown
    >;
    const path = '/etc/stave/once/discovery.conf';
    expect(join['discovery']).toEqual({ file: { kubeConfigPath: path } });
    const config = parse(fileOf(workerWithCertificate, path).content) as {
      clusters: { cluster: { server: string } }[];
    };
    expect(config.clusters[0]?.cluster.server).toBe('https://10.0.0.6:6443');
    expect(problemsOf({ ...workerWithCertificate, joinToken: worker.joinToken })).toEqual(['/joinToken unknown']);
  });

  it('the first control plane gets the configuration of kubeadm with all options of its cluster', () => {
    const text = fileOf(fullControlPlane, '/etc/stave/once/kubeadm.yaml').content;
    const [init, cluster, kubelet] = parseAllDocuments(text).map(
      document => document.toJS() as Record<string, unknown>,
    );
    expect(init).toMatchObject({
      kind: 'InitConfiguration',
      bootstrapTokens: [{ token: secrets.bootstrapToken, ttl: '900s' }],
      localAPIEndpoint: { advertiseAddress: '10.0.0.5' },
      certificateKey: secrets.certificateKey,
      nodeRegistration: {
        name: 'node-1',
        taints: [{ key: 'stave.dev/fresh', value: 'yes', effect: 'NoSchedule' }],
        ignorePreflightErrors: ['Swap'],
        kubeletExtraArgs: [
          { name: 'node-ip', value: '10.0.0.5' },
          { name: 'node-labels', value: 'stave.node=node-1,topology.kubernetes.io/zone=az1' },
          { name: 'cloud-provider', value: 'external' },
        ],
      },
    });
    expect(cluster).toMatchObject({
      kubernetesVersion: 'v1.34.2',
      controlPlaneEndpoint: 'api.shop.example.test:6443',
      networking: { podSubnet: '10.244.0.0/16', serviceSubnet: '10.96.0.0/12', dnsDomain: 'cluster.local' },
      apiServer: {
        certSANs: ['api.shop.example.test', '10.0.0.5'],
        extraArgs: [
          { name: 'enable-admission-plugins', value: 'NodeRestriction,AlwaysPullImages' },
          { name: 'disable-admission-plugins', value: 'DefaultIngressClass' },
          { name: 'admission-control-config-file', value: '/etc/kubernetes/admission/configuration.yaml' },
        ],
      },
      controllerManager: { extraArgs: [{ name: 'cloud-provider', value: 'external' }] },
    });
    expect(kubelet).toMatchObject({ cgroupDriver: 'cgroupfs', rotateCertificates: true, failCgroupV1: false });
    expect(fileOf(fullControlPlane, '/etc/stave/kubernetes/admission.yaml').content).toContain('enforce: baseline');
    expect(fileOf(fullControlPlane, '/etc/stave/kubernetes/pki/etcd/ca.crt').content).toBe(certificate);
  });

  it('a worker joins by the hash of the authority, and gets no authority, no admission and no timer', () => {
    const { files, units } = bootstrapNode(worker);
    expect(parse(fileOf(worker, '/etc/stave/once/kubeadm.yaml').content)).toMatchObject({
      kind: 'JoinConfiguration',
      discovery: { bootstrapToken: { apiServerEndpoint: '10.0.0.5:6443', caCertHashes: [`sha256:${'0'.repeat(64)}`] } },
    });
    expect(files.filter(({ path }) => /pki|admission|drain|renew/.test(path))).toEqual([]);
    expect(units.map(unit => unit.name)).toEqual(['stave-bootstrap.service']);
  });

  it('a manager of a Swarm initializes it with all settings, and a worker joins by a request in a file', () => {
    const manager = nodes['first manager with every setting']!;
    expect(JSON.parse(fileOf(manager, '/etc/stave/once/swarm.json').content)).toEqual({
      ListenAddr: '0.0.0.0:2377',
      AdvertiseAddr: '10.0.0.5',
      DefaultAddrPool: ['10.128.0.0/9'],
      SubnetSize: 24,
      Spec: { CAConfig: { NodeCertExpiry: 2_592_000_000_000_000 }, Dispatcher: { HeartbeatPeriod: 2_000_000_000 } },
    });
    expect(JSON.parse(fileOf(manager, '/etc/docker/daemon.json').content)).toMatchObject({
      labels: ["zone=az1 'of' $HOME", 'rack="7"'],
      tlsverify: true,
      'registry-mirrors': ['https://mirror.example.test'],
    });
    expect(JSON.parse(fileOf(swarmWorker, '/etc/stave/once/swarm.json').content)).toMatchObject({
      RemoteAddrs: ['10.0.0.5:2377'],
      JoinToken: secrets.swarmToken,
    });
  });

  it('masters of Mesos know their majority, and an agent its masters', () => {
    const master = fileOf(nodes['one of three masters with Marathon and TLS']!, '/etc/stave/mesos/mesos-master.env.in');
    expect(master.content).toContain('MESOS_QUORUM=2\n');
    expect(master.content).toContain('MESOS_ZK=zk://10.0.0.1:2181,10.0.0.2:2181,10.0.0.3:2181/mesos\n');
    const agent = fileOf(nodes['agent of Mesos']!, '/etc/stave/mesos/mesos-agent.env.in').content;
    expect(agent).toContain('MESOS_ATTRIBUTES=stave.node:node-1;zone:az1\n');
    expect(agent).toContain('MESOS_CONTAINERIZERS=mesos\n');
  });

  it('everything that is started at a boot is started at the first one, too', () => {
    const { runcmd } = parse(cloudInitDocument(bootstrapNode(controlPlane))) as { runcmd: string[][] };
    const units = ['stave-certificates.timer', 'stave-bootstrap.service'];
    expect(runcmd).toContainEqual(['systemctl', 'enable', ...units]);
    expect(runcmd).toContainEqual(['systemctl', 'start', '--no-block', ...units]);
  });

  it('a placeholder is in the document as it is written, so that Heat can replace it', () => {
    const document = ignitionDocument(bootstrapNode(nodes['worker of Kubernetes on Fedora CoreOS']!));
    expect(document).toContain('__SIGNAL_ENDPOINT__');
    expect(document).toContain('__SIGNAL_TOKEN__');
  });
});
