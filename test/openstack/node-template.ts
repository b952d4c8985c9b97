import { bootstrapNode, cloudInitDocument, ignitionDocument, type SwarmNodeDescription } from '@stave/bootstrap';

const description: SwarmNodeDescription = {
  engine: 'swarm',
  role: 'first-manager',
  os: 'fedora-coreos',
  hostname: 'node-1',
  software: { kind: 'installed' },
  readiness: { kind: 'heat', endpoint: '__SIGNAL_ENDPOINT__', token: '__SIGNAL_TOKEN__' },
};

/** Returns the user data of a node, in which Heat replaces the address and the token of its signal. */
export function userData(format: 'cloud-init' | 'ignition'): string {
  const machine = bootstrapNode(description);
  return format === 'ignition' ? ignitionDocument(machine) : cloudInitDocument(machine);
}

/** The properties of the server of a node. */
export interface ServerProperties {
  readonly flavor?: string;
  readonly image?: string;
  readonly availability_zone?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

const network = {
  network: { type: 'OS::Neutron::Net' },
  subnet: {
    type: 'OS::Neutron::Subnet',
    properties: { network: { get_resource: 'network' }, cidr: '10.9.0.0/24' },
  },
};

/** Returns the template of a network with one server. `data`: with user data and a wait for its signal. */
export function nodeTemplate(server: ServerProperties, data?: string): Record<string, unknown> {
  const properties = {
    image: 'fedora-37',
    flavor: 'm1.nano',
    networks: [{ network: { get_resource: 'network' } }],
    ...server,
  };
  const resources = { ...network, server: { type: 'OS::Nova::Server', depends_on: 'subnet', properties } };
  const outputs = { server: { value: { get_resource: 'server' } } };
  const template = { heat_template_version: '2021-04-16', outputs };
  if (data === undefined) return { ...template, resources };
  const signal = (name: string) => ({ get_attr: ['handle', name] });
  const params = { __SIGNAL_ENDPOINT__: signal('endpoint'), __SIGNAL_TOKEN__: signal('token') };
  const own = { user_data_format: 'RAW', user_data: { str_replace: { template: data, params } } };
  const reporting = { ...resources.server, properties: { ...properties, ...own } };
  const ready = { handle: { get_resource: 'handle' }, timeout: 300 };
  return {
    ...template,
    resources: {
      ...resources,
      server: reporting,
      handle: { type: 'OS::Heat::WaitConditionHandle' },
      ready: { type: 'OS::Heat::WaitCondition', depends_on: 'server', properties: ready },
    },
  };
}
