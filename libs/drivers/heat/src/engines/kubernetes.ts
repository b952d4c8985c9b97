import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  issueCertificate,
  kubeconfig,
  newAuthority,
  newBootstrapToken,
  newServiceAccountKeys,
  type CertificateAuthority,
  type ClusterAuthorities,
  type KubernetesNodeDescription,
} from '@stave/bootstrap';
import { DriverError, type DriverSettings } from '@stave/driver-sdk';
import { KubernetesApi, kubernetesOperations, memberAccess, memberUser } from '@stave/kubernetes';
import type { SecretValues } from '../cloud/sealed-secrets.js';
import type { ClusterNetwork, EngineDefinition, NamedCluster, NodeSituation } from '../units/engine-definition.js';
import { authorityDays, clientDays, daysOf, startOfValidity } from './validity.js';

const apiPort = 6_443;
const defaultVersion = '1.34.2';
const podSubnet = '10.244.0.0/16';
/** The group that may ask for the certificate of a kubelet, and whose requests are granted. */
const joiningGroup = 'system:bootstrappers:kubeadm:default-node-token';
const administrators = 'kubeadm:cluster-admins';

/** Returns Kubernetes, made with kubeadm, on machines of this kind. `env`: HEAT_KUBERNETES_VERSION, HEAT_KUBERNETES_NETWORK_FILE. */
export function kubernetesOn(
  machines: Pick<EngineDefinition, 'os' | 'userData' | 'templates'>,
  env: DriverSettings['env'],
): EngineDefinition {
  const version = env['HEAT_KUBERNETES_VERSION'] || defaultVersion;
  const networkManifest = manifestIn(env);
  return {
    ...machines,
    newSecrets: async () => ({ ...(await newAuthorities()), version }),
    describe: node => describeNode(node, networkManifest),
    endpoints: network => [{ name: 'api', url: apiUrl(network) }],
    credentials: async (cluster, network, secrets) => ({ kubeconfig: await clientOf(cluster, network, secrets) }),
    operations: reach =>
      kubernetesOperations(async (ctx, { cluster }) => {
        const { network, secrets } = await reach(ctx, cluster);
        return apiOfMembers(network, secrets);
      }),
  };
}

const apiUrl = ({ firstAddress }: ClusterNetwork): string => `https://${firstAddress}:${apiPort}`;

function manifestIn(env: DriverSettings['env']): string | undefined {
  const path = env['HEAT_KUBERNETES_NETWORK_FILE'];
  if (!path) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new DriverError('permanent', `HEAT_KUBERNETES_NETWORK_FILE=${path} cannot be read`, { cause });
  }
}

async function newAuthorities(): Promise<SecretValues> {
  const validity = { from: startOfValidity(), days: authorityDays };
  const [cluster, frontProxy, etcd, account] = await Promise.all([
    newAuthority('kubernetes', validity),
    newAuthority('kubernetes-front-proxy', validity),
    newAuthority('etcd', validity),
    newServiceAccountKeys(),
  ]);
  return {
    ...{ clusterCertificate: cluster.certificate, clusterKey: cluster.key },
    ...{ frontProxyCertificate: frontProxy.certificate, frontProxyKey: frontProxy.key },
    ...{ etcdCertificate: etcd.certificate, etcdKey: etcd.key },
    ...{ accountPublicKey: account.publicKey, accountPrivateKey: account.privateKey },
  };
}

const authorityIn = (secrets: SecretValues, name: string): CertificateAuthority => ({
  certificate: secrets[`${name}Certificate`] ?? '',
  key: secrets[`${name}Key`] ?? '',
});

const authoritiesIn = (secrets: SecretValues): ClusterAuthorities => ({
  cluster: authorityIn(secrets, 'cluster'),
  frontProxy: authorityIn(secrets, 'frontProxy'),
  etcd: authorityIn(secrets, 'etcd'),
  serviceAccount: { publicKey: secrets['accountPublicKey'] ?? '', privateKey: secrets['accountPrivateKey'] ?? '' },
});

async function clientOf(cluster: NamedCluster, network: ClusterNetwork, secrets: SecretValues): Promise<string> {
  const authority = authorityIn(secrets, 'cluster');
  const subject = { commonName: 'stave', organizations: [administrators] };
  const validity = { from: startOfValidity(), days: clientDays };
  const client = await issueCertificate(authority, subject, ['client'], validity);
  const whose = { cluster: cluster.name, user: 'stave', server: apiUrl(network) };
  return kubeconfig({ ...whose, authority: authority.certificate, ...client });
}

/** Returns the client of the API that has the rights of a member and no others. */
async function apiOfMembers({ firstAddress }: ClusterNetwork, secrets: SecretValues): Promise<KubernetesApi> {
  const authority = authorityIn(secrets, 'cluster');
  const subject = { commonName: memberUser.name, organizations: [...memberUser.groups] };
  const client = await issueCertificate(authority, subject, ['client'], { from: startOfValidity(), days: 1 });
  return new KubernetesApi({ address: firstAddress, port: apiPort, authority: authority.certificate, ...client });
}

async function describeNode(
  node: NodeSituation,
  networkManifest: string | undefined,
): Promise<KubernetesNodeDescription> {
  const { spec, machine, network, hasFirstAddress, managers, secrets } = node;
  const common = {
    ...machine,
    engine: 'kubernetes',
    version: secrets['version'] ?? defaultVersion,
    cluster: {
      ...{ name: clusterName(spec.cluster), endpoint: `${network.firstAddress}:${apiPort}`, podSubnet },
      network: podNetwork(networkManifest),
      addons: [memberAccess()],
    },
    labels: {
      ...spec.labels,
      'stave.node': spec.id,
      ...(spec.zone !== undefined && { 'topology.kubernetes.io/zone': spec.zone }),
    },
    ...(spec.taints.length > 0 && { taints: spec.taints }),
  } as const;
  if (spec.role === 'worker') return { ...common, role: 'worker', joinCertificate: await joinOf(node) };
  const authorities = authoritiesIn(secrets);
  if (!hasFirstAddress || managers.length > 0)
    return { ...common, role: 'control-plane', authorities, joinCertificate: await joinOf(node) };
  // nobody joins by this token: it only has to exist while kubeadm runs
  const token = newBootstrapToken(Array.from({ length: 22 }, () => randomInt(36)));
  return { ...common, role: 'first-control-plane', authorities, joinToken: { token, lifetimeSeconds: 60 } };
}

/** Without a manifest somebody installs the plug-in of the pod network later. */
const podNetwork = (text: string | undefined): KubernetesNodeDescription['cluster']['network'] =>
  text === undefined ? { kind: 'none' } : { kind: 'manifest', manifest: { name: 'network', text } };

/** A name of a cluster is one of kubeadm's, unless it has other characters. */
const clusterName = ({ id, name }: NamedCluster): string =>
  /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name) ? name : id;

/** A control plane with the first address replaces one whose cluster lives on in the others. */
async function joinOf({ spec, hasFirstAddress, managers, secrets, joinWithinSeconds }: NodeSituation) {
  const authority = authorityIn(secrets, 'cluster');
  const subject = { commonName: `joining:${spec.id}`.slice(0, 64), organizations: [joiningGroup] };
  const validity = { from: startOfValidity(), days: daysOf(joinWithinSeconds) };
  const client = await issueCertificate(authority, subject, ['client'], validity);
  const [other] = managers;
  const server = hasFirstAddress && other !== undefined ? { server: `${other}:${apiPort}` } : {};
  return { ...server, authority: authority.certificate, ...client };
}
