import { configDirectory } from '../machine/directories.js';
import type { MesosMaster, MesosNodeDescription } from './mesos-description.js';

const directory = `${configDirectory}/mesos`;
/** Certificates of libprocess. */
export const tlsDirectory = `${directory}/tls`;
/** In the environment of a daemon, replaced by the machine's own address when it starts. */
export const addressMark = '@ADDRESS@';

/** Returns `zk://host:2181,…` of all masters. */
export const zookeeperUrl = (masters: readonly MesosMaster[]): string =>
  `zk://${masters.map(({ host }) => `${host}:2181`).join(',')}`;

/** Returns the environment of each daemon of the node, which Mesos reads as its flags. No value contains white space. */
export function environmentOf(node: MesosNodeDescription): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const { cluster, role, address, hostname } = node;
  const zookeeper = `${zookeeperUrl(cluster.masters)}/mesos`;
  const common = { MESOS_IP: address ?? addressMark, MESOS_HOSTNAME: address ?? addressMark, ...tlsOf(node) };
  if (role === 'master')
    return {
      'mesos-master': {
        ...common,
        MESOS_CLUSTER: cluster.name,
        MESOS_ZK: zookeeper,
        MESOS_QUORUM: String(Math.floor(cluster.masters.length / 2) + 1),
        MESOS_WORK_DIR: '/var/lib/mesos-master',
        MESOS_AUTHENTICATE_AGENTS: 'true',
        MESOS_AUTHENTICATE_FRAMEWORKS: 'true',
        MESOS_AUTHENTICATE_HTTP_READWRITE: 'true',
        MESOS_CREDENTIALS: `file://${directory}/credential.json`,
      },
    };
  const attributes = Object.entries({ 'stave.node': hostname, ...node.attributes });
  return {
    'mesos-agent': {
      ...common,
      MESOS_MASTER: zookeeper,
      MESOS_WORK_DIR: '/var/lib/mesos-agent',
      MESOS_CONTAINERIZERS: (node.containerizers ?? ['docker', 'mesos']).join(','),
      MESOS_ATTRIBUTES: attributes.map(([name, value]) => `${name}:${value}`).join(';'),
      MESOS_CREDENTIAL: `file://${directory}/credential.json`,
    },
  };
}

function tlsOf({ tls }: MesosNodeDescription): Record<string, string> {
  if (!tls) return {};
  return {
    LIBPROCESS_SSL_ENABLED: 'true',
    LIBPROCESS_SSL_VERIFY_SERVER_CERT: 'true',
    LIBPROCESS_SSL_CA_FILE: `${tlsDirectory}/ca.pem`,
    LIBPROCESS_SSL_CERT_FILE: `${tlsDirectory}/cert.pem`,
    LIBPROCESS_SSL_KEY_FILE: `${tlsDirectory}/key.pem`,
  };
}
