import { operationPrefixes, owners, type ResourceName } from '../commands.js';
import { commandSubject, type ServiceName } from '../subjects.js';
import { closed, listOf, type JsonSchema, type Properties } from './json-schema.js';
import * as p from './primitives.js';
import { resourceRequests, type ResourceRequests } from './resource-requests.js';

type Messages = Readonly<Record<string, JsonSchema>>;

const reference = p.text(1100, 1);
const time = p.text(64, 1);
const cluster = { clusterId: reference };

/** Members that messages of a resource type carry beside `id`. */
const scopes: Partial<Record<ResourceName, Properties>> = {
  'node-group': cluster,
  node: cluster,
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
const listRequired = ['limit', 'filter'];

const membersOf = ({ properties }: JsonSchema): Properties => ({ ...(properties as Properties) });

function readMessages(resource: ResourceName, scope: Properties): Messages {
  const list = closed({ ...listMembers, ...scope }, listRequired);
  return resource === 'conductor-group' ? { list } : { list, get: closed({ id: reference, ...scope }, ['id']) };
}

function historyMessages(scope: Properties): Messages {
  const target = { id: reference, ...scope };
  return {
    'get-at': closed({ ...target, at: time }, ['id', 'at']),
    'list-at': closed({ ...listMembers, ...scope, at: time }, [...listRequired, 'at']),
    diff: closed({ ...target, from: time, to: time }, ['id', 'from']),
  };
}

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

function changeMessages(scope: Properties, requests: ResourceRequests): Messages {
  const target = { id: reference, ...scope };
  const { create, patch, delete: options, actions } = requests;
  return {
    ...(create ? { create } : {}),
    ...(patch ? { patch: closed({ ...target, patch }, ['id', 'patch']) } : {}),
    ...(options ? { delete: closed({ ...membersOf(options), ...target }, ['id']) } : {}),
    ...(actions ? { action: actionMessage(target, actions) } : {}),
  };
}

const one = closed({ id: reference }, ['id']);
const logs = closed({ id: reference, tail: p.whole(1, 10_000) }, ['id']);

/** Messages of single resource types, besides the common ones. */
const ownMessages: Partial<Record<ResourceName, Messages>> = {
  cluster: { credentials: one },
  container: { logs, 'follow-logs': logs, stats: one },
  ring: { lookup: closed({ resource: p.text(255, 1) }, ['resource']) },
  'api-key': { verify: closed({ key: p.text(512, 1) }, ['key']) },
};

const readModel = closed({ name: p.text(255, 1) }, ['name']);

/** Messages that every service answers. */
const commonMessages: Readonly<Record<string, Messages>> = {
  operation: {
    get: closed({ id: reference, waitMs: p.whole(1, 60_000) }, ['id']),
    list: closed(listMembers, listRequired),
    cancel: one,
  },
  'read-model': { list: closed({}), get: readModel, rebuild: readModel },
};

const withoutHistory: readonly ResourceName[] = ['api-key', 'conductor', 'conductor-group', 'driver', 'ring'];

function messagesOf(resource: ResourceName): Messages {
  const scope = scopes[resource] ?? {};
  return {
    ...readMessages(resource, scope),
    ...(withoutHistory.includes(resource) ? {} : historyMessages(scope)),
    ...changeMessages(scope, resourceRequests[resource]),
    ...ownMessages[resource],
  };
}

function* allMessages(): Generator<readonly [subject: string, schema: JsonSchema]> {
  const bySubject = (service: ServiceName, resource: string, messages: Messages) =>
    Object.entries(messages).map(([verb, schema]) => [commandSubject(service, resource, verb), schema] as const);
  for (const [resource, service] of Object.entries(owners))
    yield* bySubject(service, resource, messagesOf(resource as ResourceName));
  for (const service of Object.values(operationPrefixes))
    for (const [resource, messages] of Object.entries(commonMessages)) yield* bySubject(service, resource, messages);
}

/** The schema of the body of every message that the gateway sends, by its subject. */
export const messageSchemas: ReadonlyMap<string, JsonSchema> = new Map(allMessages());
