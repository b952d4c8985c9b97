import { createHash, X509Certificate } from 'node:crypto';
import { yamlDocument } from '../render/yaml.js';

/** Returns `sha256:<hex>` of the public key of a certificate (PEM), by which joining nodes know the authority of their cluster. */
export function certificateHash(certificate: string): string {
  const key = new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' });
  return `sha256:${createHash('sha256').update(key).digest('hex')}`;
}

/** How a client reaches the API of a cluster and who it is. All PEM; the key is a secret. */
export interface KubernetesAccess {
  readonly cluster: string;
  /** The URL of the API. */
  readonly server: string;
  readonly user: string;
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/** Returns a kubeconfig with everything embedded. It is a secret. */
export function kubeconfig({ cluster, server, user, authority, certificate, key }: KubernetesAccess): string {
  const base64 = (pem: string): string => Buffer.from(pem).toString('base64');
  const name = `${user}@${cluster}`;
  const document = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name: cluster, cluster: { server, 'certificate-authority-data': base64(authority) } }],
    users: [{ name: user, user: { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) } }],
    contexts: [{ name, context: { cluster, user } }],
  };
  return yamlDocument(document);
}

/**
 * Returns the Secret of Kubernetes by which a cluster admits nodes that have the token, until `expires`. The token is `<id>.<secret>`, as
 * `newBootstrapToken` makes it.
 */
export function bootstrapTokenManifest(token: string, expires: Date): Record<string, unknown> {
  const [id = '', secret = ''] = token.split('.');
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `bootstrap-token-${id}`, namespace: 'kube-system' },
    type: 'bootstrap.kubernetes.io/token',
    stringData: {
      'token-id': id,
      'token-secret': secret,
      expiration: expires.toISOString(),
      'usage-bootstrap-authentication': 'true',
      'usage-bootstrap-signing': 'true',
      'auth-extra-groups': 'system:bootstrappers:kubeadm:default-node-token',
    },
  };
}

const digits = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Returns a bootstrap token made of 22 random numbers, each below 36: `crypto.randomInt(36)`. Throws a RangeError on fewer. */
export function newBootstrapToken(random: readonly number[]): string {
  const text = random
    .slice(0, 22)
    .map(number => digits[number] ?? '')
    .join('');
  if (text.length !== 22) throw new RangeError('a bootstrap token needs 22 numbers below 36');
  return `${text.slice(0, 6)}.${text.slice(6)}`;
}
