import { operationPrefixes, owners, type ResourceName } from '../commands.js';
import { commandSubject, type ServiceName } from '../subjects.js';
import { AUDIT_BATCH } from '../audit.js';
import { auditEntry } from './audit.schema.js';
import { closed, exact, listOf, nullable, oneOf, type JsonSchema, type Properties } from './json-schema.js';
import { policyBacktest, setBacktest } from './container-set.requests.js';
import { policyAttachment } from './policy.requests.js';
import * as p from './primitives.js';
import { projectQuotas, quotaDemand } from './quota.requests.js';
import { keyRole, projectMember, resourceRequests, subject } from './resource-requests.js';

const actor = exact(
  { keyId: p.text(512, 1), role: keyRole, project: nullable(p.text(255)) },
  {
    projects: listOf(p.text(255, 1), { minItems: 1 }),
    name: p.text(255, 1),
    method: oneOf('jwt', 'keystone', 'cookie'),
    issuer: p.text(2048, 1),
  },
);

/** The schema of `RequestMeta`. */
export const requestMeta: JsonSchema = exact(
  { correlationId: p.text(255, 1), actor },
  {
    request: p.text(65_536, 1),
    idempotencyKey: p.text(255, 1),
    ifMatch: p.whole(0, Number.MAX_SAFE_INTEGER),
    dryRun: p.anyBoolean,
    planToken: p.text(65_536),
    minPosition: p.whole(-1, Number.MAX_SAFE_INTEGER),
  },
);

type Messages = Readonly<Record<string, JsonSchema>>;

const reference = p.text(1100, 1);
const time = p.text(64, 1);
const cluster = { clusterId: reference };

/** Members that messages of a resource type carry beside `id`. */
const scopes: Partial<Record<ResourceName, Properties>> = {
  'node-group': cluster,
  node: cluster,
  network: cluster,
  volume: cluster,
  driver: { version: reference },
};

const listMembers: Properties = {
  limit: p.whole(1, 500),
  cursor: p.text(4096, 1),
  sort: {
    type: 'array',
    maxItems: 4,
    items: { type: 'array', items: [p.text(128, 1), { enum: [1, -1] }], minItems: 2, maxItems: 2 },
  },
  filter: p.anyObject,
  references: { type: 'object', additionalProperties: listOf(p.text(4096)) },
  total: p.anyBoolean,
};

const membersOf = ({ properties }: JsonSchema): Properties => ({ ...(properties as Properties) });

const list = (more: Properties, required: readonly string[] = []): JsonSchema =>
  closed({ ...listMembers, ...more }, ['limit', 'filter', ...required]);

/** A body with exactly one member keeps that rule beside the members of the target. */
const choiceOf = ({ maxProperties, properties }: JsonSchema): JsonSchema =>
  maxProperties === 1 ? { oneOf: Object.keys({ ...(properties as object) }).map(name => ({ required: [name] })) } : {};

/** Members of an action's body stand beside `id` and `action`. */
function actionMessage(target: Properties, actions: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const variants = Object.entries(actions).map(([action, body]) => ({
    ...closed({ ...membersOf(body), ...target, action: { const: action } }, ['id', 'action']),
    ...choiceOf(body),
  }));
  return { type: 'object', required: ['action'], discriminator: { propertyName: 'action' }, oneOf: variants };
}

const one = closed({ id: reference }, ['id']);
/** Seconds. */
const window = p.whole(1, 3600);
const explained = { enum: ['containerSet', 'nodeGroup'] };
const logs = closed({ id: reference, tail: p.whole(1, 10_000) }, ['id']);

const policyTarget = { target: reference, targetType: { enum: ['cluster', 'nodeGroup', 'containerSet'] } };
/** What nodegroup-service asks before it appends that nodes are removed or rebuilt: at `after` in the stream. */
const nodesToClose = closed(
  {
    clusterId: reference,
    stream: reference,
    after: p.whole(0, Number.MAX_SAFE_INTEGER),
    reason: p.text(255, 1),
    nodeIds: listOf(reference, { minItems: 1, maxItems: 100_000 }),
    discarded: listOf(reference, { maxItems: 100_000 }),
  },
  ['clusterId', 'stream', 'after', 'reason', 'nodeIds', 'discarded'],
);

const attachment = closed({ id: reference, ...policyTarget }, ['id', 'target', 'targetType']);

/** Messages of single resource types, besides the common ones. */
const ownMessages: Partial<Record<ResourceName, Messages>> = {
  cluster: {
    credentials: one,
    'driver-operation': closed({ id: reference, method: p.text(16, 1), word: reference, rest: p.text(8192, 1) }, [
      'id',
      'method',
      'word',
    ]),
  },
  container: {
    logs,
    'follow-logs': logs,
    stats: closed({ id: reference, window }, ['id']),
    explain: closed({ id: reference, of: explained, node: reference }, ['id']),
    autoscaling: closed({ nodeGroup: reference }, ['nodeGroup']),
  },
  'container-set': { autoscaling: one, backtest: closed({ ...membersOf(setBacktest), id: reference }, ['id']) },
  node: { stats: closed({ cluster: reference, nodeGroup: reference, window }) },
  policy: {
    attach: { ...attachment, properties: { ...membersOf(attachment), ...membersOf(policyAttachment) } },
    detach: attachment,
    backtest: closed({ ...membersOf(policyBacktest), id: reference }, ['id', 'target']),
    'of-target': closed(policyTarget, ['target', 'targetType']),
    attachments: closed({ id: reference, limit: p.whole(1, 500), cursor: p.text(4096, 1) }, ['id']),
  },
  volume: { 'close-nodes': nodesToClose },
  ring: { lookup: closed({ resource: p.text(255, 1) }, ['resource']) },
  project: {
    members: closed({ id: reference, limit: p.whole(1, 500), cursor: p.text(4096, 1) }, ['id']),
    memberships: closed({ subject }, ['subject']),
    attach: closed({ ...membersOf(projectMember), id: reference, subject }, ['id', 'subject', 'role']),
    detach: closed({ id: reference, subject }, ['id', 'subject']),
    quotas: one,
    limit: closed({ ...membersOf(projectQuotas), id: reference }, ['id', 'limits']),
    'reserve-quota': quotaDemand,
    'check-quota': quotaDemand,
    'release-quota': closed({ id: reference, reservation: reference }, ['id', 'reservation']),
  },
  'api-key': { verify: closed({ key: p.text(16_384, 1) }, ['key']) },
};

const auditMessages: Messages = {
  record: closed({ entries: listOf(auditEntry, { maxItems: AUDIT_BATCH, minItems: 1 }) }, ['entries']),
};

const readModel = closed({ name: p.text(255, 1) }, ['name']);

/** Messages that every service answers. */
const commonMessages: Readonly<Record<string, Messages>> = {
  operation: {
    get: closed({ id: reference, waitMs: p.whole(1, 60_000) }, ['id']),
    list: list({}),
    cancel: one,
    steps: closed(
      {
        id: reference,
        limit: p.whole(1, 500),
        cursor: p.text(4096, 1),
        status: listOf(p.text(32, 1), { maxItems: 8 }),
      },
      ['id', 'limit'],
    ),
  },
  summary: { get: closed({}) },
  'read-model': { list: closed({}), get: readModel, rebuild: readModel },
};

const withoutHistory: readonly ResourceName[] = ['api-key', 'conductor', 'conductor-group', 'driver', 'ring'];

function messagesOf(resource: ResourceName): Messages {
  const scope = scopes[resource] ?? {};
  const target = { id: reference, ...scope };
  const { create, patch, patchOptions = closed({}), delete: options, actions } = resourceRequests[resource];
  const past = {
    'get-at': closed({ ...target, at: time }, ['id', 'at']),
    'list-at': list({ ...scope, at: time }, ['at']),
    diff: closed({ ...target, from: time, to: time }, ['id', 'from']),
  };
  return {
    list: list(scope),
    ...(resource === 'conductor-group' ? {} : { get: closed(target, ['id']) }),
    ...(withoutHistory.includes(resource) ? {} : past),
    ...(create ? { create } : {}),
    ...(patch ? { patch: closed({ ...membersOf(patchOptions), ...target, patch }, ['id', 'patch']) } : {}),
    ...(options ? { delete: closed({ ...membersOf(options), ...target }, ['id']) } : {}),
    ...(actions ? { action: actionMessage(target, actions) } : {}),
    ...ownMessages[resource],
  };
}

const messages: readonly (readonly [ServiceName, resource: string, Messages])[] = [
  ...Object.entries(owners).map(
    ([resource, service]) => [service, resource, messagesOf(resource as ResourceName)] as const,
  ),
  ['cluster-service', 'audit', auditMessages],
  ...Object.values(operationPrefixes).flatMap(service =>
    Object.entries(commonMessages).map(([resource, common]) => [service, resource, common] as const),
  ),
];

/** The schema of the body of every message that the gateway, or another service, sends, by its subject. */
export const messageSchemas: ReadonlyMap<string, JsonSchema> = new Map(
  messages.flatMap(([service, resource, schemas]) =>
    Object.entries(schemas).map(([verb, schema]) => [commandSubject(service, resource, verb), schema] as const),
  ),
);
