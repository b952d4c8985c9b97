type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;
const membersOf = (value: unknown): Json => (isObject(value) ? value : {});
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Parameters of the query that the client sets itself. */
const setByClient: ReadonlySet<unknown> = new Set(['dryRun', 'planToken', 'minPosition']);
const planReference = '#/components/schemas/Plan';
const isPlan = (schema: unknown): boolean => membersOf(schema)['$ref'] === planReference;

/** Returns the first form of an answer: the others are plans, and documents with chosen fields, which the client types itself. */
function firstForm(schema: unknown): unknown {
  const [first] = listOf(membersOf(schema)['anyOf']);
  return first ?? schema;
}

function successOf([status, response]: [string, unknown]): [string, Json][] {
  if (!/^2/.test(status)) return [];
  const content = Object.entries(membersOf(membersOf(response)['content']));
  if (content.some(([, media]) => isPlan(membersOf(media)['schema']))) return [];
  const [first] = content.map(([type, media]): [string, Json] => [
    type,
    { schema: firstForm(membersOf(media)['schema']) },
  ]);
  return [[status, { description: 'Success', ...(first ? { content: Object.fromEntries([first]) } : {}) }]];
}

function reducedOperation({ operationId, summary, description, parameters, requestBody, responses }: Json): Json {
  const kept = listOf(parameters).filter(parameter => {
    const { in: place, name } = membersOf(parameter);
    return place === 'path' || (place === 'query' && !setByClient.has(name));
  });
  const { required, content } = membersOf(requestBody);
  const media = membersOf(membersOf(content)['application/json']);
  return {
    operationId,
    summary,
    ...(description === undefined ? {} : { description }),
    parameters: kept,
    ...(content === undefined
      ? {}
      : { requestBody: { required, content: { 'application/json': { schema: media['schema'] } } } }),
    responses: Object.fromEntries(Object.entries(membersOf(responses)).flatMap(successOf)),
  };
}

function referencesIn(value: unknown): string[] {
  if (!isObject(value)) return [];
  const { $ref } = value;
  const own = typeof $ref === 'string' ? [$ref.replace('#/components/schemas/', '')] : [];
  return [...own, ...Object.values(value).flatMap(referencesIn)];
}

/** Returns the schemas with these names and those that they refer to. */
function reachable(schemas: Json, names: readonly string[]): Json {
  const found = new Set<string>();
  const open = [...names];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    open.push(...referencesIn(schemas[name]));
  }
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => found.has(name)));
}

/**
 * Returns the part of an OpenAPI document that the types of `@stave/client` need: the parameters of paths and queries, bodies, and the
 * answers with a 2xx status. Headers, plans, chosen fields and problems are the same for all requests; the client types them once.
 */
export function reducedDocument(document: Json): Json {
  const paths = Object.entries(membersOf(document['paths'])).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(membersOf(operations)).map(([method, operation]) => [
        method,
        reducedOperation(membersOf(operation)),
      ]),
    ),
  ]);
  const reduced = Object.fromEntries(paths);
  const schemas = membersOf(membersOf(document['components'])['schemas']);
  const used = reachable(schemas, [...referencesIn(reduced), 'Plan', 'Problem', 'Operation']);
  return { openapi: document['openapi'], info: document['info'], paths: reduced, components: { schemas: used } };
}
