import { omitUndefined } from '@stave/domain';
import type { DriverManifest, DriverOperation } from '@stave/driver-sdk';
import { isObject } from '../http/members.js';
import type { Json } from './schema-renderer.js';

type Named = Pick<DriverManifest, 'name' | 'version' | 'operations'>;

const base = '/v1/clusters/{id}/driver';
const text = { type: 'string' };
const problem = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'correlationId'],
  properties: {
    ...Object.fromEntries(['type', 'title', 'detail', 'instance', 'code', 'correlationId'].map(name => [name, text])),
    status: { type: 'integer' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['pointer', 'code', 'detail'],
        properties: { pointer: text, code: text, detail: text },
      },
    },
  },
};
/** What a caller must expect beside the answer. */
const refusals: Readonly<Record<string, string>> = {
  400: 'Parameters or body break their schemas (`validation-failed`)',
  401: 'No valid credential',
  403: 'The role does not permit the operation',
  404: 'No such cluster or operation, or not found by the driver',
  409: 'The state of the cluster does not allow it, or there is no capacity',
  422: 'The driver cannot do this',
  502: '`driver-answer-too-large`, `driver-answer-invalid`',
  503: '`driver-timeout`, `no-conductor`, or the driver could not answer now',
};

const dryRun = {
  name: 'dryRun',
  in: 'query',
  required: false,
  description: 'checks role, parameters and body, and changes nothing; the answer is a plan without a token',
  schema: { type: 'boolean' },
};
/** What the product knows of an operation that it does not run. */
const plan = {
  type: 'object',
  required: ['events', 'diff', 'steps', 'unsettled'],
  properties: {
    events: { type: 'array' },
    diff: { type: 'array' },
    steps: { type: 'array', items: { type: 'object' } },
    unsettled: text,
  },
};

/** Returns the OpenAPI document of the operations of one version of a driver. */
export function driverDocument({ name, version, operations = [] }: Named): Json {
  const paths: Record<string, Json> = {};
  for (const operation of operations)
    (paths[`${base}${operation.path}`] ??= {})[operation.method.toLowerCase()] = operationOf(operation);
  return {
    openapi: '3.1.0',
    info: { title: `Operations of the driver ${name}`, version },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: { Problem: problem },
      responses: Object.fromEntries(
        Object.entries(refusals).map(([status, description]) => [
          `Problem${status}`,
          {
            description,
            content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
          },
        ]),
      ),
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function operationOf(operation: DriverOperation): Json {
  const { name, role, request, answer = {}, streaming = false } = operation;
  const required = Array.isArray(request?.['required']) && request['required'].length > 0;
  const isPlanned = takesPlan(operation);
  const media = streaming ? 'application/x-ndjson' : 'application/json';
  const description = streaming ? 'Success: a line for each piece, as they come' : 'Success';
  return omitUndefined({
    operationId: name,
    tags: ['driver'],
    parameters: parametersOf(operation),
    requestBody: request && { required, content: { 'application/json': { schema: request } } },
    responses: {
      200: { description, content: contentOf(media, answer, isPlanned) },
      ...Object.fromEntries(
        Object.keys(refusals).map(status => [status, { $ref: `#/components/responses/Problem${status}` }]),
      ),
    },
    'x-stave-role': role,
    security: [{ apiKey: [] }],
  });
}

/** Whether the product answers dry runs of an operation, which the driver does not answer itself. */
const takesPlan = ({ method, parameters }: DriverOperation): boolean =>
  method !== 'GET' && !('dryRun' in Object(parameters?.['properties']));

const contentOf = (media: string, answer: unknown, isPlanned: boolean): Json => {
  if (!isPlanned) return { [media]: { schema: answer } };
  const json = 'application/json';
  if (media !== json) return { [media]: { schema: answer }, [json]: { schema: plan } };
  return { [json]: { schema: { anyOf: [answer, plan] } } };
};

function parametersOf(operation: DriverOperation): Json[] {
  const { path, parameters = {} } = operation;
  const { properties = {}, required = [] } = parameters;
  const inPath = /\{(.*)\}/.exec(path)?.[1];
  const isRequired = (name: string): boolean => Array.isArray(required) && required.includes(name);
  const declared = Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) =>
    name === inPath
      ? { name, in: 'path', required: true, schema }
      : { name, in: 'query', required: isRequired(name), schema },
  );
  const cluster = { name: 'id', in: 'path', required: true, description: 'id or name of the cluster', schema: text };
  return [cluster, ...declared, ...(takesPlan(operation) ? [dryRun] : [])];
}
