/** A kind of entry in a fleet file. */
export interface Kind {
  readonly member:
    'policies' | 'clusters' | 'nodeGroups' | 'networks' | 'volumes' | 'containerProfiles' | 'containerSets';
  readonly noun: string;
  /** Members that are sent when it is created, and that an export has. */
  readonly create: readonly string[];
  /** Members that can be changed later. */
  readonly update: readonly string[];
  /** Members whose empty value says something. An export leaves out the empty values of the others. */
  readonly keptEmpty?: readonly string[];
  /** The member whose value the product sets itself while `by` is set; an export leaves it out then. */
  readonly automatic?: { readonly member: string; readonly by: string };
}

const cluster = [
  'description',
  'labels',
  'driver',
  'driverVersion',
  'conductorGroup',
  'network',
  'api',
  'defaults',
  'options',
];
const nodeGroup = [
  ...['role', 'count', 'minCount', 'maxCount', 'labels', 'taints', 'conductorGroup', 'options', 'flavor', 'image'],
  ...['dataVolumeGb', 'volumes', 'zones', 'updateStrategy', 'autoscaling'],
];
const contents = [
  ...['description', 'image', 'command', 'args', 'env', 'resources', 'network', 'volumes', 'ports', 'restartPolicy'],
  ...[
    'healthCheck',
    'imageCredentials',
    'pullPolicy',
    'stopGraceSeconds',
    'movable',
    'labels',
    'hostCluster',
    'hostNode',
  ],
  ...['nodeSelector', 'zone', 'region', 'tolerations', 'spread', 'affinity'],
];
const set = ['profile', 'overrides', 'desired', 'min', 'max', 'updateStrategy', 'backoff', 'autoscaling'];

/** The kinds, each after those that it can refer to. A test compares the members with the API document. */
export const kinds: Readonly<Record<Kind['member'], Kind>> = {
  policies: {
    member: 'policies',
    noun: 'policies',
    create: ['name', 'type', 'version', 'properties'],
    update: ['properties'],
  },
  clusters: { member: 'clusters', noun: 'clusters', create: ['name', ...cluster], update: cluster },
  nodeGroups: {
    member: 'nodeGroups',
    noun: 'node-groups',
    create: ['name', 'machineSelector', ...nodeGroup],
    update: nodeGroup,
    keptEmpty: ['machineSelector'],
    automatic: { member: 'count', by: 'autoscaling' },
  },
  networks: {
    member: 'networks',
    noun: 'networks',
    create: ['name', 'driver', 'options', 'subnet', 'gateway', 'labels', 'autoRemove'],
    update: ['labels', 'autoRemove'],
  },
  volumes: {
    member: 'volumes',
    noun: 'volumes',
    create: ['name', 'driver', 'options', 'accessMode', 'reclaimPolicy', 'labels'],
    update: ['labels', 'reclaimPolicy'],
  },
  containerProfiles: {
    member: 'containerProfiles',
    noun: 'container-profiles',
    create: ['name', ...contents],
    update: contents,
  },
  containerSets: {
    member: 'containerSets',
    noun: 'container-sets',
    create: ['name', ...set],
    update: set,
    automatic: { member: 'desired', by: 'autoscaling' },
  },
};

/** Kinds inside a cluster. */
export const inCluster = ['nodeGroups', 'networks', 'volumes'] as const;
/** Kinds at the top of a file. */
export const atTop = ['policies', 'clusters', 'containerProfiles', 'containerSets'] as const;
