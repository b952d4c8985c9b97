import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { MesosNodeDescription } from '@stave/bootstrap';
import { DriverError } from '@stave/driver-sdk';
import type { ClusterNetwork, EngineDefinition, NodeSituation } from '@stave/heat';
import { masterPort, mesosApi, principal } from './api.js';

const marathonPort = 8_080;
/** What attributes of agents consist of. */
const word = /^[A-Za-z0-9._-]{1,128}$/;

/** Mesos on Ubuntu: one master with ZooKeeper and Marathon, and agents. */
export const mesosUbuntu: EngineDefinition = {
  os: 'ubuntu',
  userData: 'cloud-init',
  templates: join(__dirname, '..', 'templates'),
  newSecrets: async () => ({ secret: randomBytes(24).toString('hex') }),
  describe: describeNode,
  endpoints: network => [
    { name: 'master', url: urlOf(network, masterPort) },
    { name: 'marathon', url: urlOf(network, marathonPort) },
  ],
  credentials: async (_, network, { secret = '' }) => ({ endpoint: urlOf(network, masterPort), principal, secret }),
  operations: mesosApi,
};

const urlOf = ({ firstAddress }: ClusterNetwork, port: number): string => `http://${firstAddress}:${port}`;

async function describeNode({
  spec,
  machine,
  network,
  hasFirstAddress,
  secrets,
}: NodeSituation): Promise<MesosNodeDescription> {
  const masters = [{ id: 1, host: network.firstAddress }];
  const credential = { principal, secret: secrets['secret'] ?? '' };
  const common = { ...machine, engine: 'mesos', cluster: { name: spec.cluster.id, masters, credential } } as const;
  if (spec.role === 'worker') return { ...common, role: 'agent', attributes: attributesOf(spec) };
  if (hasFirstAddress) return { ...common, role: 'master', masterId: 1, marathon: { port: marathonPort } };
  throw new DriverError(
    'unsupported',
    'a cluster of mesos_ubuntu has one master: all masters are known before the first one boots',
  );
}

/** Labels that Mesos cannot have as attributes are left to Stave alone. */
function attributesOf({ id, labels, nodeGroup, zone }: NodeSituation['spec']): Record<string, string> {
  const own = { 'stave.node': id, 'stave.nodeGroup': nodeGroup.name, ...(zone !== undefined && { zone }) };
  const all = Object.entries({ ...labels, ...own }).filter(([name, value]) => word.test(name) && word.test(value));
  return Object.fromEntries(all);
}
