import type { ResourceName } from '../commands.js';
import { clusterRequests } from './cluster.requests.js';
import { containerProfileRequests, containerRequests } from './container.requests.js';
import { containerSetRequests } from './container-set.requests.js';
import { closed, immutables, named, noBody, nullable, oneOf, type JsonSchema } from './json-schema.js';
import { machineRequests } from './machine.requests.js';
import { networkRequests } from './network.requests.js';
import { nodeGroupRequests, nodeRequests } from './node-group.requests.js';
import { policyRequests } from './policy.requests.js';
import * as p from './primitives.js';
import { volumeRequests } from './volume.requests.js';
import { clusterTemplateRequests, nodeGroupTemplateRequests } from './template.requests.js';

/** The changes that a resource type accepts. A member that is absent means that there is no such request. */
export interface ResourceRequests {
  readonly create?: JsonSchema;
  /** A merge patch. */
  readonly patch?: JsonSchema;
  /** The options of a patch. */
  readonly patchOptions?: JsonSchema;
  /** The options of a deletion. */
  readonly delete?: JsonSchema;
  /** Bodies of actions by the action's name. */
  readonly actions?: Readonly<Record<string, JsonSchema>>;
}

export const keyRole = oneOf('reader', 'member', 'admin');
/** The roles that keys are made with; an operator's key belongs to no project. */
export const grantedRole = oneOf('reader', 'member', 'admin', 'operator');

const projectRequests = {
  create: named('ProjectCreate', closed({ name: p.name, description: p.description, labels: p.labels }, ['name'])),
  patch: named(
    'ProjectPatch',
    closed({
      description: nullable(p.description),
      labels: nullable(p.labelChanges),
      ...immutables('id', 'name', 'projectId', 'status', 'createdAt'),
    }),
  ),
  delete: noBody,
  actions: { disable: noBody, enable: noBody },
};
/** A subject of a token, as `sub` names it. An API key has no place here: members are shown, and kept in events. */
export const subject = { ...p.line(255, 1), pattern: '^(?!stv_)\\S', description: 'as tokens name it in `sub`' };
/** The role that a member of a project gets. */
export const projectMember = named('ProjectMemberPut', closed({ role: keyRole }, ['role']));
const expiresAt = { ...p.dateTime, maxLength: 64 };
const overlap = {
  type: 'string',
  pattern: '^[0-9]{1,6}(ms|s|m|h)$',
  description: 'a whole number up to 999999 with one of the units ms, s, m and h, such as "10m"',
};
const rotation = { overlap, expiresAt };
const apiKeyRequests = {
  create: named(
    'ApiKeyCreate',
    closed({ project: p.reference, role: grantedRole, name: p.shortText, expiresAt }, ['role']),
  ),
  delete: noBody,
  actions: { rotate: named('ApiKeyRotate', closed(rotation)) },
};
const conductorRequests = { actions: { drain: named('Drain', closed({ deadline: p.deadline })) } };

/** The request bodies of every resource type. The gateway and the services check requests against the same objects. */
export const resourceRequests: Readonly<Record<ResourceName, ResourceRequests>> = {
  cluster: clusterRequests,
  'cluster-template': clusterTemplateRequests,
  'node-group-template': nodeGroupTemplateRequests,
  project: projectRequests,
  'api-key': apiKeyRequests,
  conductor: conductorRequests,
  driver: {},
  ring: {},
  'conductor-group': {},
  'node-group': nodeGroupRequests,
  node: nodeRequests,
  machine: machineRequests,
  'container-profile': containerProfileRequests,
  container: containerRequests,
  'container-set': containerSetRequests,
  policy: policyRequests,
  network: networkRequests,
  volume: volumeRequests,
};
