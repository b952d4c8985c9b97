import { join } from 'node:path';
import { issueCertificate, newAuthority, type EngineApi, type SwarmNodeDescription } from '@stave/bootstrap';
import {
  authorityDays,
  clientDays,
  daysOf,
  startOfValidity,
  type ClusterNetwork,
  type EngineDefinition,
  type NodeSituation,
} from '@stave/heat';
import { swarmApi } from './api.js';
import { apiPort, authorityIn, managerName } from './manager-api.js';

const joinPort = 2_377;
/** From which the Swarm takes the subnets of its overlay networks; outside of the cluster's own default network. */
const addressPools = ['10.128.0.0/12'];

/** A Swarm on Fedora: managers offer their engine's API with certificates of the cluster's own authority, and nodes get their join token there. */
export const swarmFedora: EngineDefinition = {
  os: 'fedora',
  userData: 'cloud-init',
  templates: join(__dirname, '..', 'templates'),
  newSecrets: async ({ id }) => {
    const { certificate, key } = await newAuthority(`swarm ${id}`.slice(0, 64), {
      from: startOfValidity(),
      days: authorityDays,
    });
    return { certificate, key };
  },
  describe: describeNode,
  endpoints: network => [{ name: 'engine', url: engineUrl(network) }],
  credentials: async ({ id }, network, secrets) => {
    const client = await issueCertificate(
      authorityIn(secrets),
      { commonName: `client of ${id}`.slice(0, 64) },
      ['client'],
      {
        ...{ from: startOfValidity(), days: clientDays },
      },
    );
    const { certificate: cert, key } = client;
    return { endpoint: engineUrl(network), ca: authorityIn(secrets).certificate, cert, key };
  },
  operations: swarmApi,
};

const engineUrl = ({ firstAddress }: ClusterNetwork): string => `tcp://${firstAddress}:${apiPort}`;

async function describeNode(node: NodeSituation): Promise<SwarmNodeDescription> {
  const { spec, machine, hasFirstAddress, managers } = node;
  const engineLabels = {
    ...Object.fromEntries(Object.entries(spec.labels).filter(([, value]) => value.length <= 1_024)),
    'stave.node': spec.id,
    'stave.nodeGroup': spec.nodeGroup.name,
    ...(spec.zone !== undefined && { 'stave.zone': spec.zone }),
  };
  const common = { ...machine, engine: 'swarm', engineLabels } as const;
  if (spec.role === 'worker') return { ...common, role: 'worker', join: await joinOf(node) };
  const api = await apiOf(node);
  if (hasFirstAddress && managers.length === 0)
    return { ...common, role: 'first-manager', settings: { addressPools }, api };
  return { ...common, role: 'manager', join: await joinOf(node), api };
}

/** A manager with the first address replaces one whose Swarm lives on in the others. */
async function joinOf({ spec, network, hasFirstAddress, managers, secrets, joinWithinSeconds }: NodeSituation) {
  const authority = authorityIn(secrets);
  const subject = { commonName: spec.id.slice(0, 64) };
  const days = daysOf(joinWithinSeconds);
  const { certificate, key } = await issueCertificate(authority, subject, ['client'], {
    from: startOfValidity(),
    days,
  });
  const addresses = [...new Set([...(hasFirstAddress ? [] : [network.firstAddress]), ...managers])];
  return {
    managers: addresses.map(address => `${address}:${joinPort}`),
    ticket: { port: apiPort, serverName: managerName, authority: authority.certificate, certificate, key },
  };
}

async function apiOf({ machine, network, hasFirstAddress, secrets }: NodeSituation): Promise<EngineApi> {
  const authority = authorityIn(secrets);
  const names = [managerName, machine.hostname, ...(hasFirstAddress ? [network.firstAddress] : [])];
  const subject = { commonName: machine.hostname, names };
  const days = authorityDays - 1;
  const { certificate, key } = await issueCertificate(authority, subject, ['server'], {
    from: startOfValidity(),
    days,
  });
  return { port: apiPort, authority: authority.certificate, certificate, key };
}
