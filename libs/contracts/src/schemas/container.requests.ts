import {
  alike,
  closed,
  immutable,
  immutables,
  listOf,
  named,
  noBody,
  nullable,
  oneOf,
  removable,
  type Properties,
} from './json-schema.js';
import { affinityRules, spreadRules } from './placement-rules.js';
import * as p from './primitives.js';

const words = listOf(p.text(4096), { maxItems: 256 });
const variables = { type: 'object', propertyNames: { pattern: '^[A-Za-z_][A-Za-z0-9_.-]{0,254}$' } };
const secretName = { type: 'string', pattern: '^[a-z0-9_-][a-z0-9._-]{0,62}$' };
const secretReference = named('SecretReference', closed({ secret: secretName }, ['secret']));
/** A text, or the name of a secret of the project. */
const variable = { ...secretReference, ...p.text(32_768), type: ['string', 'object'] };
const env = named('Environment', { ...variables, maxProperties: 512, additionalProperties: variable });
const amount = { type: 'number', exclusiveMinimum: 0, maximum: 4096 };
const limits = { cpus: amount, memoryMb: p.whole(1, 67_108_864) };
const resources = named('Resources', closed(limits));
const networkMembers = {
  name: p.shortText,
  driver: p.shortText,
  options: p.options,
  ipv4: { type: 'string', format: 'ipv4' },
};
const network = closed(networkMembers, ['name']);
const volume = closed(
  {
    name: p.shortText,
    driver: p.shortText,
    options: p.options,
    mountPath: p.mountPath,
    readOnly: p.anyBoolean,
    accessMode: oneOf('shared', 'exclusive'),
    reclaimPolicy: oneOf('retain', 'delete'),
  },
  ['name', 'mountPath'],
);
const hostPort = { ...p.whole(0, 65_535), description: '0: a free one of 30000 to 32767' };
const portMapping = closed({ containerPort: p.port, hostPort, protocol: oneOf('tcp', 'udp') }, ['containerPort']);
const checkMembers = {
  command: { ...words, minItems: 1 },
  intervalSeconds: p.whole(1, 3600),
  timeoutSeconds: p.whole(1, 600),
  retries: p.whole(1, 100),
  startPeriodSeconds: p.whole(0, 3600),
};
const healthCheck = closed(checkMembers, ['command']);

const toleration = closed({ key: p.text(253, 1), value: p.line(253), effect: p.taintEffect }, ['key']);

/** The members that a profile and the overrides of a container have in common. */
export const containerMembers = {
  image: p.image,
  command: words,
  args: words,
  env,
  resources,
  network,
  volumes: listOf(volume, { maxItems: 64 }),
  ports: listOf(portMapping, { maxItems: 128 }),
  restartPolicy: oneOf('no', 'on-failure', 'always', 'unless-stopped'),
  healthCheck,
  imageCredentials: secretReference,
  pullPolicy: oneOf('ifMissing', 'always', 'never'),
  stopGraceSeconds: p.whole(0, 3600),
  movable: p.anyBoolean,
  labels: p.labels,
  hostCluster: p.reference,
  hostNode: p.reference,
  nodeSelector: p.labels,
  zone: p.shortText,
  region: p.shortText,
  tolerations: listOf(toleration, { maxItems: 64 }),
  spread: spreadRules,
  affinity: affinityRules(0),
} satisfies Properties;

const needsNewContainer = { ...immutable, description: 'cannot be changed in place; create a new container' };

const profileCreate = named(
  'ContainerProfileCreate',
  closed({ name: p.name, description: p.description, ...containerMembers }),
);
const profilePatch = named(
  'ContainerProfilePatch',
  closed({
    ...removable({
      description: p.description,
      ...containerMembers,
      labels: p.labelChanges,
      nodeSelector: p.labelChanges,
      env: { ...variables, maxProperties: 1024, additionalProperties: nullable(variable) },
      resources: closed(removable(limits)),
      network: closed({ ...removable(networkMembers), name: networkMembers.name }),
      imageCredentials: closed({ secret: secretName }),
      healthCheck: closed({ ...removable(checkMembers), command: checkMembers.command }),
    }),
    image: p.image,
    ...immutables('id', 'name', 'projectId', 'createdAt'),
  }),
);
const containerCreate = named(
  'ContainerCreate',
  closed({ profile: p.reference, name: p.name, cluster: p.reference, node: p.reference, ...containerMembers }),
);
const { zone, region, tolerations, ports, spread, affinity } = containerMembers;
const whileWaiting = 'can be changed while the container waits for a node';
/** What a container demands of its node beside room. */
const demandChanges = removable(
  { nodeSelector: p.labelChanges, zone, region, tolerations, ports, spread, affinity },
  { description: whileWaiting },
);
const containerPatch = named(
  'ContainerPatch',
  closed({
    ...alike(needsNewContainer, 'profile', ...Object.keys(containerMembers)),
    labels: nullable(p.labelChanges),
    resources,
    restartPolicy: containerMembers.restartPolicy,
    ...demandChanges,
    ...immutables('id', 'name', 'projectId', 'createdAt'),
  }),
);

export const containerProfileRequests = { create: profileCreate, patch: profilePatch, delete: noBody };

export const containerRequests = {
  create: containerCreate,
  patch: containerPatch,
  delete: closed({ reduceDesired: p.anyBoolean }),
  actions: {
    start: noBody,
    stop: noBody,
    restart: noBody,
    move: noBody,
    retry: noBody,
    release: noBody,
    abort: noBody,
  },
};
