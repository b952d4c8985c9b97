import type { DescriptionProblem } from '../description/description-problem.js';
import { problemsOfSubnet } from '../description/machine-problems.js';
import * as schema from '../description/machine-schema.js';
import { listOf, object, oneOf, patterns, text, type Schema } from '../description/machine-schema.js';
import type { KubernetesNodeDescription } from './kubernetes-description.js';
import { minorOf, oldestMinor } from './version-skew.js';

const manifestName = text(patterns.name, 63);
const manifest = schema.formBy(
  'url',
  object({ name: manifestName, url: schema.url, sha256: text('^[0-9a-f]{64}$') }, ['name', 'url', 'sha256']),
  object({ name: manifestName, text: { type: 'string', minLength: 1, maxLength: 32_768 } }, ['name', 'text']),
);

const kind = { type: 'string' };
const network = schema.choice({
  none: object({ kind }, ['kind']),
  manifest: object({ kind, manifest }, ['kind', 'manifest']),
});

const plugins = listOf(text('^[A-Z][A-Za-z]+$', 64), 1);

const admission = object({
  enabled: plugins,
  disabled: plugins,
  podSecurity: object(
    { level: oneOf('privileged', 'baseline', 'restricted'), exemptNamespaces: listOf(text(patterns.name, 63)) },
    ['level'],
  ),
});

const clusterSchema = object(
  {
    name: text(patterns.name, 63),
    endpoint: text(patterns.hostPort),
    podSubnet: text('^[0-9./]+$', 18),
    serviceSubnet: text('^[0-9./]+$', 18),
    dnsDomain: text(patterns.name),
    certificateNames: listOf(text('^[A-Za-z0-9*.:-]+$')),
    imageRepository: text('^[A-Za-z0-9][A-Za-z0-9._/:-]*$'),
    network,
    cloudProvider: object({ kind: oneOf('external'), manifest }, ['kind']),
    admission,
    addons: listOf(manifest),
  },
  ['name', 'endpoint', 'network'],
);

const authorities = object(
  {
    cluster: schema.authority,
    frontProxy: schema.authority,
    etcd: schema.authority,
    serviceAccount: object({ publicKey: schema.pem, privateKey: schema.pem }, ['publicKey', 'privateKey']),
  },
  ['cluster', 'frontProxy', 'etcd', 'serviceAccount'],
);

const taint = object(
  {
    key: text(patterns.labelKey),
    value: text(patterns.labelValue, 63),
    effect: oneOf('NoSchedule', 'PreferNoSchedule', 'NoExecute'),
  },
  ['key', 'effect'],
);

const mirror = object({ registry: text('^[A-Za-z0-9.-]+(:[0-9]+)?$'), endpoints: listOf(schema.url, 1) }, [
  'registry',
  'endpoints',
]);

const token = text('^[a-z0-9]{6}\\.[a-z0-9]{16}$');
const ownToken = object({ token, lifetimeSeconds: schema.integer(60, 86_400) }, ['token']);
const joinToken = object({ token, authorityHashes: listOf(text('^sha256:[0-9a-f]{64}$'), 1) }, [
  'token',
  'authorityHashes',
]);

const common = {
  ...schema.machineProperties,
  engine: oneOf('kubernetes'),
  role: oneOf('first-control-plane', 'control-plane', 'worker'),
  version: text('^(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)$', 16),
  cluster: clusterSchema,
  labels: {
    type: 'object',
    propertyNames: text(patterns.labelKey),
    additionalProperties: text(patterns.labelValue, 63),
  },
  taints: listOf(taint),
  registryMirrors: listOf(mirror),
  cgroupDriver: oneOf('systemd', 'cgroupfs'),
  allowCgroupV1: { type: 'boolean' },
  sharesKernel: { type: 'boolean' },
  ignoredChecks: listOf(text('^[A-Za-z0-9-]+$')),
};
const joinCertificate = object(
  { server: text(patterns.hostPort), authority: schema.pem, certificate: schema.pem, key: schema.pem },
  ['authority', 'certificate', 'key'],
);
const required = [...schema.requiredOfMachine, 'version', 'cluster', 'joinToken'];
const withCertificate = [...schema.requiredOfMachine, 'version', 'cluster', 'joinCertificate'];
const ofControlPlanes = { authorities, certificateKey: text('^[0-9a-f]{64}$') };
const further = (own: Schema): Schema =>
  schema.formBy(
    'joinCertificate',
    object({ ...common, ...own, joinCertificate }, withCertificate),
    object({ ...common, ...own, joinToken }, required),
  );
const worker = further({});
const controlPlane = further(ofControlPlanes);
const firstControlPlane = object({ ...common, ...ofControlPlanes, joinToken: ownToken }, required);

/** Returns the schema of the description of a node of a Kubernetes cluster with this role. */
export function kubernetesSchema(role: unknown): Schema {
  if (role === 'first-control-plane') return firstControlPlane;
  return role === 'control-plane' ? controlPlane : worker;
}

/** Prefixes below kubernetes.io and k8s.io with which a kubelet may label its own node. */
const ownPrefixes = ['kubelet.kubernetes.io', 'node.kubernetes.io'];
const ownLabels = new Set([
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'kubernetes.io/arch',
  'kubernetes.io/os',
  'kubernetes.io/hostname',
]);

/** Returns what the schema cannot express. */
export function problemsOfKubernetes(node: KubernetesNodeDescription): DescriptionProblem[] {
  const { cluster, role, version, authorities: given, certificateKey, labels = {} } = node;
  const problems = [
    ...problemsOfSubnet('/cluster/podSubnet', cluster.podSubnet),
    ...problemsOfSubnet('/cluster/serviceSubnet', cluster.serviceSubnet),
  ];
  if (minorOf(version) < oldestMinor)
    problems.push({ pointer: '/version', code: 'unsupported', detail: `must be 1.${oldestMinor} or later` });
  if (role === 'control-plane' && !given && certificateKey === undefined)
    problems.push({ pointer: '/authorities', code: 'required', detail: 'authorities or certificateKey must be given' });
  for (const key of Object.keys(labels).filter(isReserved))
    problems.push({
      pointer: `/labels/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      code: 'reserved',
      detail: 'a kubelet must not set this label',
    });
  return problems;
}

function isReserved(key: string): boolean {
  const [prefix = '', name] = key.split('/');
  if (name === undefined || ownLabels.has(key)) return false;
  if (ownPrefixes.some(own => prefix === own || prefix.endsWith(`.${own}`))) return false;
  return ['kubernetes.io', 'k8s.io'].some(domain => prefix === domain || prefix.endsWith(`.${domain}`));
}
