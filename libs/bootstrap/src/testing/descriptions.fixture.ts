import type { MachineDescription } from '../description/machine-description.js';
import type { KubernetesNodeDescription } from '../kubernetes/kubernetes-description.js';
import type { MesosNodeDescription } from '../mesos/mesos-description.js';
import type { SwarmNodeDescription } from '../swarm/swarm-description.js';
import type { NodeDescription } from '../bootstrap-node.js';

/** A certificate of an authority that signs nothing. */
export const certificate = `-----BEGIN CERTIFICATE-----
MIIBfDCCASGgAwIBAgIUAJBitYoagFfrtnHPl26hPn+s5AowCgYIKoZIzj0EAwIw
EjEQMA4GA1UEAwwHZXhhbXBsZTAgFw0yNjExMjUxMzQzMTJaGA8yMTI2MTEwMTEz
NDMxMlowEjEQMA4GA1UEAwwHZXhhbXBsZTBZMBMGByqGSM49AgEGCCqGSM49AwEH
A0IABK8PD0DJE+umy+URoiTDPXF7llMtII1oQQXhV8+0Sxyd5f3R4V2pm+2VIdO8
xypHybgUAvdR6lhrhqHXCu3XJP2jUzBRMB0GA1UdDgQWBBQtYltGOSpOvGrONT3u
GI06dkB+CDAfBgNVHSMEGDAWgBQtYltGOSpOvGrONT3uGI06dkB+CDAPBgNVHRMB
Af8EBTADAQH/MAoGCCqGSM49BAMCA0kAMEYCIQDX8kcn8bZY8deLqIw3UjEPe9vm
U4iufqpL9KqWTwHaZwIhAIoG8wJyW+lEnRvAyPXznCfgEK0WCWKG84cf5qWXCLT9
-----END CERTIFICATE-----
`;
const key = '-----BEGIN PRIVATE KEY-----\nTUlJQ2FyZWx5\n-----END PRIVATE KEY-----\n';
const signingKey = '-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmQINBGMBBBBB\n=abcd\n-----END PGP PUBLIC KEY BLOCK-----\n';

/** The secrets of the descriptions. */
export const secrets = {
  bootstrapToken: 'abcdef.0123456789abcdef',
  swarmToken: 'SWMTKN-1-aaaabbbbccccdddd-eeeeffff0000',
  heatToken: 'gAAAAAB-heat-token',
  certificateKey: 'ab'.repeat(32),
  mesosSecret: 'agents-know-this',
  key,
};

export const machine: MachineDescription = {
  os: 'debian',
  hostname: 'node-1',
  software: { kind: 'packages' },
  readiness: { kind: 'file' },
};

/** A machine with every optional field. */
export const fullMachine: MachineDescription = {
  os: 'ubuntu',
  hostname: 'node-1',
  address: '10.0.0.5',
  authorizedKeys: ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA== ops@example.test'],
  proxy: { http: 'http://10.0.0.9:3128', https: 'http://10.0.0.9:3128', noProxy: ['10.0.0.0/16', '.example.test'] },
  trustedAuthorities: [certificate],
  software: {
    kind: 'packages',
    repositories: [
      { name: 'engine', url: 'https://packages.example.test/deb', suite: 'stable', components: ['main'], signingKey },
    ],
  },
  readiness: {
    kind: 'heat',
    endpoint: 'http://heat.example.test:8004/v1/p/stacks/s/i/signal',
    token: secrets.heatToken,
  },
  readyTimeoutSeconds: 300,
};

export const swarmManager: SwarmNodeDescription = { ...machine, engine: 'swarm', role: 'first-manager' };

export const swarmWorker: SwarmNodeDescription = {
  ...machine,
  engine: 'swarm',
  role: 'worker',
  join: { managers: ['10.0.0.5:2377'], token: secrets.swarmToken },
};

export const swarmWorkerWithTicket: SwarmNodeDescription = {
  ...machine,
  engine: 'swarm',
  role: 'worker',
  join: {
    managers: ['10.0.0.5:2377', '10.0.0.6:2377'],
    ticket: { port: 2376, serverName: 'manager.stave.internal', authority: certificate, certificate, key },
  },
};

const authority = { certificate, key };

export const controlPlane: KubernetesNodeDescription = {
  ...machine,
  engine: 'kubernetes',
  role: 'first-control-plane',
  version: '1.34.2',
  cluster: { name: 'shop', endpoint: '10.0.0.5:6443', network: { kind: 'none' } },
  joinToken: { token: secrets.bootstrapToken },
};

export const worker: KubernetesNodeDescription = {
  ...controlPlane,
  role: 'worker',
  joinToken: { token: secrets.bootstrapToken, authorityHashes: [`sha256:${'0'.repeat(64)}`] },
};

const { joinToken: _, ...withoutToken } = controlPlane;
export const workerWithCertificate: KubernetesNodeDescription = {
  ...withoutToken,
  role: 'worker',
  joinCertificate: { server: '10.0.0.6:6443', authority: certificate, certificate, key },
};

const fullCluster: KubernetesNodeDescription['cluster'] = {
  name: 'shop',
  endpoint: 'api.shop.example.test:6443',
  podSubnet: '10.244.0.0/16',
  serviceSubnet: '10.96.0.0/12',
  dnsDomain: 'cluster.local',
  certificateNames: ['api.shop.example.test', '10.0.0.5'],
  imageRepository: 'images.example.test/kubernetes',
  network: {
    kind: 'manifest',
    manifest: { name: 'network', url: 'https://example.test/network.yaml', sha256: '1'.repeat(64) },
  },
  cloudProvider: { kind: 'external', manifest: { name: 'provider', text: 'kind: Secret\n' } },
  admission: {
    enabled: ['NodeRestriction', 'AlwaysPullImages'],
    disabled: ['DefaultIngressClass'],
    podSecurity: { level: 'baseline', exemptNamespaces: ['kube-system'] },
  },
  addons: [{ name: 'metrics', text: 'kind: List\n' }],
};

export const fullControlPlane: KubernetesNodeDescription = {
  ...controlPlane,
  ...fullMachine,
  cluster: fullCluster,
  joinToken: { token: secrets.bootstrapToken, lifetimeSeconds: 900 },
  authorities: {
    cluster: authority,
    frontProxy: authority,
    etcd: authority,
    serviceAccount: { publicKey: key, privateKey: key },
  },
  certificateKey: secrets.certificateKey,
  labels: { 'stave.node': 'node-1', 'topology.kubernetes.io/zone': 'az1' },
  taints: [{ key: 'stave.dev/fresh', value: 'yes', effect: 'NoSchedule' }],
  registryMirrors: [{ registry: 'registry.example.test', endpoints: ['https://mirror.example.test'] }],
  cgroupDriver: 'cgroupfs',
  allowCgroupV1: true,
  sharesKernel: true,
  ignoredChecks: ['Swap'],
};

const binary = (name: string) => ({
  url: `https://example.test/${name}`,
  sha256: '2'.repeat(64),
  path: `/usr/local/bin/${name}`,
});
const files = [
  ...['kubeadm', 'kubelet', 'kubectl'].map(binary),
  { url: 'https://example.test/cni.tgz', sha256: '3'.repeat(64), path: '/opt/cni/bin', unpack: true },
];
const placeholders = { kind: 'heat', endpoint: '__SIGNAL_ENDPOINT__', token: '__SIGNAL_TOKEN__' } as const;

export const mesosMaster: MesosNodeDescription = {
  ...machine,
  engine: 'mesos',
  role: 'master',
  masterId: 1,
  cluster: {
    name: 'shop',
    masters: [{ id: 1, host: '10.0.0.5' }],
    credential: { principal: 'agents', secret: secrets.mesosSecret },
  },
};

const threeMasters = [1, 2, 3].map(id => ({ id, host: `10.0.0.${id}` }));
const mesosTls = { authority: certificate, certificate, key };

/** One node of each kind, with few and with all fields, on each operating system. */
export const nodes: Readonly<Record<string, NodeDescription>> = {
  'first manager of a Swarm': swarmManager,
  'first manager with every setting': {
    ...swarmManager,
    ...fullMachine,
    engineVersion: '20.10.24+dfsg1',
    engineLabels: { zone: "az1 'of' $HOME", rack: '"7"' },
    registryMirrors: ['https://mirror.example.test'],
    settings: { addressPools: ['10.128.0.0/9'], subnetPrefix: 24, certificateHours: 720, heartbeatSeconds: 2 },
    api: { port: 2376, authority: certificate, certificate, key },
  },
  'further manager on Fedora': { ...swarmWorker, os: 'fedora', role: 'manager', engineVersion: '27.3.1' },
  'worker of a Swarm': swarmWorker,
  'worker of a Swarm with a ticket': swarmWorkerWithTicket,
  'first control plane': controlPlane,
  'first control plane with every setting': fullControlPlane,
  'further control plane with fetched authorities': {
    ...worker,
    role: 'control-plane',
    certificateKey: secrets.certificateKey,
  },
  'worker of Kubernetes with a certificate': workerWithCertificate,
  'worker of Kubernetes on Fedora': { ...worker, os: 'fedora' },
  'worker of Kubernetes on Fedora CoreOS': {
    ...worker,
    os: 'fedora-coreos',
    software: { kind: 'files', files },
    readiness: placeholders,
  },
  'master of Mesos': mesosMaster,
  'one of three masters with Marathon and TLS': {
    ...mesosMaster,
    ...fullMachine,
    masterId: 2,
    version: '1.11.0',
    cluster: { ...mesosMaster.cluster, masters: threeMasters },
    marathon: { port: 8080, version: '1.11.24' },
    tls: mesosTls,
  },
  'agent of Mesos': {
    ...machine,
    os: 'ubuntu',
    engine: 'mesos',
    role: 'agent',
    cluster: { ...mesosMaster.cluster, masters: threeMasters },
    attributes: { zone: 'az1' },
    containerizers: ['mesos'],
  },
};
