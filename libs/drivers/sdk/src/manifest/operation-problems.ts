import { operationMethods, operationRoles, type DriverManifest, type DriverOperation } from '../driver.js';
import { messageOf } from './message-of.js';
import { compileOperation, isFlat } from './operation-schemas.js';
import type { OptionProblem } from './option-validation.js';

const closed = {
  type: 'object',
  required: ['type', 'additionalProperties'],
  properties: { type: { const: 'object' }, additionalProperties: { const: false }, properties: { type: 'object' } },
} as const;

/** The largest `maxAnswerBytes`: an answer is one message between processes. */
const MOST_ANSWER_BYTES = 1_000_000;

/** The JSON Schema of `operations` in a manifest. */
export const operationsSchema = {
  type: 'array',
  minItems: 1,
  maxItems: 100,
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['name', 'method', 'path', 'role'],
    properties: {
      name: { type: 'string', pattern: '^[a-zA-Z][a-zA-Z0-9_-]{0,62}$' },
      method: { enum: [...operationMethods] },
      path: { type: 'string', pattern: '^/[a-z][a-zA-Z0-9-]{0,62}(/\\{[a-zA-Z][a-zA-Z0-9_]{0,62}\\})?$' },
      role: { enum: [...operationRoles] },
      parameters: closed,
      request: closed,
      answer: { type: ['object', 'boolean'] },
      streaming: { type: 'boolean' },
      deadlineSeconds: { type: 'number', exclusiveMinimum: 0, maximum: 60 },
      maxAnswerBytes: { type: 'integer', minimum: 1, maximum: MOST_ANSWER_BYTES },
    },
  },
} as const;

/** Returns the mistakes of the operations of a manifest that a schema cannot state, by pointer. */
export function operationProblems({ operations, capabilities }: DriverManifest): OptionProblem[] {
  const declared = capabilities.includes('api');
  if (declared !== (operations !== undefined)) {
    const detail = declared
      ? 'must be present, because the capabilities contain api'
      : 'needs the capability api, which is missing in /capabilities';
    return [{ pointer: '/operations', code: 'capability', detail }];
  }
  return (operations ?? []).flatMap((operation, i) => [
    ...repetitions(operations ?? [], i),
    ...mistakesOf(operation).map(problem => ({ ...problem, pointer: `/operations/${i}${problem.pointer}` })),
  ]);
}

function repetitions(operations: readonly DriverOperation[], i: number): OptionProblem[] {
  const operation = operations[i];
  const before = operations.slice(0, i);
  if (!operation) return [];
  const { name, method, path } = operation;
  const shape = shapeOf(path);
  const sameRoute = before.some(other => other.method === method && shapeOf(other.path) === shape);
  const sameName = before.some(other => other.name === name);
  const route = { pointer: `/operations/${i}`, code: 'duplicate', detail: `repeats ${method} ${shape}` };
  const named = { pointer: `/operations/${i}/name`, code: 'duplicate', detail: `repeats ${name}` };
  return [...(sameRoute ? [route] : []), ...(sameName ? [named] : [])];
}

/** The path without the name of its parameter, which does not distinguish routes. */
const shapeOf = (path: string): string => path.replace(/\{.*\}/, '{}');

function mistakesOf(operation: DriverOperation): OptionProblem[] {
  const schemas = (['parameters', 'request', 'answer'] as const).flatMap(part => schemaProblem(operation, part));
  return schemas.length > 0 ? schemas : [...bodyProblem(operation), ...parameterProblems(operation)];
}

function schemaProblem(operation: DriverOperation, part: 'parameters' | 'request' | 'answer'): OptionProblem[] {
  try {
    compileOperation(operation, part);
    return [];
  } catch (cause) {
    return [{ pointer: `/${part}`, code: 'schema', detail: messageOf(cause) }];
  }
}

function bodyProblem({ method, request }: DriverOperation): OptionProblem[] {
  const hasBody = method !== 'GET' && method !== 'DELETE';
  if (hasBody || !request) return [];
  return [{ pointer: '/request', code: 'body', detail: `a ${method} has no body` }];
}

/** Parameters are texts in a URL: each is text, a number or a boolean, and that of the path is one of them. */
function parameterProblems({ path, parameters }: DriverOperation): OptionProblem[] {
  const properties = Object.entries(parameters?.['properties'] ?? {});
  const shapes = properties
    .filter(([, schema]) => !isFlat(schema))
    .map(([name]) => ({
      pointer: `/parameters/properties/${name}/type`,
      code: 'type',
      detail: 'must be string, number, integer or boolean',
    }));
  const named = /\{(.*)\}/.exec(path)?.[1];
  if (named === undefined || properties.some(([name]) => name === named)) return shapes;
  return [...shapes, { pointer: '/path', code: 'parameter', detail: `${named} is not one of the parameters` }];
}
