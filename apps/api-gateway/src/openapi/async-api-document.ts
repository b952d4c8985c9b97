import type { Json } from './schema-renderer.js';

/** What `libs/contracts/event-schemas.json` contains: the envelope of all events, and a definition of the data of each type. */
export interface EventSchemas {
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, Json>>;
  readonly definitions: Readonly<Record<string, Json>>;
}

const REFERENCE = '#/definitions/';
const DRAFT_07 = 'application/schema+json;version=draft-07';

/** Returns the schema with its references pointing to the components of this document. */
function moved(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(moved);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([member, value]) =>
      member === '$ref' && typeof value === 'string' && value.startsWith(REFERENCE)
        ? [member, `#/components/schemas/${value.slice(REFERENCE.length)}`]
        : [member, moved(value)],
    ),
  );
}

const typesOf = ({ properties }: EventSchemas): readonly string[] => {
  const { enum: types } = properties['type'] as { readonly enum: readonly string[] };
  return types;
};

/** `stave.nodeGroup.created.v1` is of the resource `nodeGroup`. */
const resourceOf = (type: string): string => type.split('.')[1] ?? type;

function message(type: string, definition: Json): Json {
  const { description, title } = definition as { readonly description?: string; readonly title?: string };
  return {
    name: type,
    title: title ?? type,
    ...(description === undefined ? {} : { summary: description }),
    contentType: 'application/cloudevents+json',
    tags: [{ name: resourceOf(type) }],
    headers: {
      type: 'object',
      properties: { 'Nats-Msg-Id': { type: 'string', description: 'On NATS: the id of the event.' } },
    },
    payload: { schemaFormat: DRAFT_07, schema: { $ref: `#/components/schemas/Event-${type}` } },
  };
}

const event = (type: string): Json => ({
  allOf: [
    { $ref: '#/components/schemas/Envelope' },
    {
      type: 'object',
      properties: { type: { const: type }, data: { $ref: `#/components/schemas/${type}` } },
    },
  ],
});

const servers = {
  gateway: {
    host: '{host}',
    protocol: 'https',
    description: 'The gateway: server-sent events, resumable from any past position.',
    security: [{ $ref: '#/components/securitySchemes/apiKey' }],
    variables: { host: { default: 'localhost:8080', description: 'Name and port of the gateway.' } },
  },
  nats: {
    host: '{host}',
    protocol: 'nats',
    description: 'NATS JetStream, stream `STAVE_EVENTS`, where `PUBLISH_EVENTS` is on.',
    variables: { host: { default: 'localhost:4222', description: 'Name and port of a NATS server.' } },
  },
};

const subjectParameters = {
  project: { description: 'The id of the project, `-` for events of none.' },
  resource: { description: 'The type of the resource.' },
  id: { description: 'The id of the resource; characters that a subject cannot contain are `_`.' },
  eventType: { description: 'The type of the event in the log, as `NodeBecameActive`.' },
};

/**
 * Returns the AsyncAPI 3.0 document of the events that clients receive: over HTTP from the gateway, and on NATS JetStream.
 * Its schemas are those of `event-schemas.json`.
 */
export function asyncApiDocument(schemas: EventSchemas, version: string): Json {
  const types = typesOf(schemas);
  const { required, properties, definitions } = schemas;
  const messages = Object.fromEntries(types.map(type => [type, { $ref: `#/components/messages/${type}` }]));
  const sends = (channel: string, summary: string) => ({
    action: 'send',
    channel: { $ref: `#/channels/${channel}` },
    summary,
    messages: types.map(type => ({ $ref: `#/channels/${channel}/messages/${type}` })),
  });
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Events of Stave',
      version,
      description:
        'Every change in Stave is an event in its log. Clients get the same events, in the same envelope (CloudEvents 1.0 as JSON), over HTTP from the gateway and on NATS.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/cloudevents+json',
    servers,
    channels: {
      eventStream: {
        address: '/v1/events',
        title: 'Events over HTTP',
        description:
          '`Accept: text/event-stream` streams, `Accept: application/json` reads pages; `from` says where it begins.',
        servers: [{ $ref: '#/servers/gateway' }],
        messages,
      },
      publishedEvents: {
        address: 'stave.evt.{project}.{resource}.{id}.{eventType}',
        title: 'Events on NATS',
        servers: [{ $ref: '#/servers/nats' }],
        parameters: subjectParameters,
        messages,
      },
    },
    operations: {
      streamEvents: sends('eventStream', 'Stream the events that the key may read'),
      publishEvents: sends('publishedEvents', 'Publish every event once to JetStream'),
    },
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key or a token of an issuer.' },
      },
      messages: Object.fromEntries(types.map(type => [type, message(type, definitions[type] ?? {})])),
      schemas: {
        Envelope: { type: 'object', required, properties: { ...properties, data: { type: 'object' } } },
        ...Object.fromEntries(types.map(type => [`Event-${type}`, event(type)])),
        ...(moved(definitions) as Readonly<Record<string, Json>>),
      },
    },
  };
}
