import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@stave/testing';
import { SchemaChanges, type ComparedSchema, type Direction, type Schemas } from './schema-changes.js';

/** The breaking changes that were decided, each with its reason. */
export const declaredFile = join(repositoryRoot(), 'docs/reference/breaking-changes.json');

interface Media {
  readonly content?: Readonly<Record<string, { readonly schema?: ComparedSchema }>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: ComparedSchema;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Media & { readonly required?: boolean };
  readonly responses?: Readonly<Record<string, Media>>;
  readonly 'x-stave-role'?: string;
}

export interface ComparedDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Schemas };
}

const ROLES = ['public', 'reader', 'member', 'admin', 'operator'];

interface Pair {
  readonly schemas: readonly [before: Schemas, after: Schemas];
  readonly operations: readonly [before: Operation, after: Operation];
}

const schemaOf = (media: Media | undefined): ComparedSchema | undefined =>
  Object.values(media?.content ?? {})[0]?.schema;

function compared(direction: Direction, { schemas }: Pair, [old, next]: readonly [ComparedSchema?, ComparedSchema?]) {
  return old && next ? new SchemaChanges(direction, ...schemas).between(old, next) : [];
}

function parameterChanges(pair: Pair): readonly string[] {
  const [before, after] = pair.operations.map(({ parameters = [] }) => parameters);
  const keyOf = ({ in: place, name }: Parameter): string => `${place} parameter ${name}`;
  const old = new Map(before?.map(parameter => [keyOf(parameter), parameter]));
  const next = new Map(after?.map(parameter => [keyOf(parameter), parameter]));
  const gone = [...old.keys()].filter(key => !next.has(key)).map(key => `${key} is gone`);
  const changed = [...next].flatMap(([key, parameter]) => {
    const known = old.get(key);
    const isRequired = parameter.required === true && known?.required !== true;
    const changes = compared('request', pair, [known?.schema, parameter.schema]);
    return [...(isRequired ? [`${key} is required`] : []), ...changes.map(change => `${key} ${change}`)];
  });
  return [...gone, ...changed];
}

function answerChanges(pair: Pair): readonly string[] {
  const [before, after] = pair.operations;
  return Object.entries(before.responses ?? {})
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([status, media]) => {
      const next = after.responses?.[status];
      if (!next) return [`answer ${status} is gone`];
      return compared('answer', pair, [schemaOf(media), schemaOf(next)]).map(change => `answer ${status} ${change}`);
    });
}

function operationChanges(pair: Pair): readonly string[] {
  const [before, after] = pair.operations;
  const [from, to] = [before, after].map(operation => ROLES.indexOf(operation['x-stave-role'] ?? 'public'));
  const body = compared('request', pair, [schemaOf(before.requestBody), schemaOf(after.requestBody)]);
  const needsBody = after.requestBody?.required === true && before.requestBody?.required !== true;
  return [
    ...((to ?? 0) > (from ?? 0) ? [`requires the role ${ROLES[to ?? 0]}`] : []),
    ...(needsBody ? ['requires a body'] : []),
    ...parameterChanges(pair),
    ...body.map(change => `body ${change}`),
    ...answerChanges(pair),
  ];
}

/** Returns a sentence for each change from one document of the API to another that may break a client. */
export function breakingChanges(before: ComparedDocument, after: ComparedDocument): readonly string[] {
  const schemas = [before.components?.schemas ?? {}, after.components?.schemas ?? {}] as const;
  return Object.entries(before.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const title = `${method.toUpperCase()} ${path}`;
      const next = after.paths[path]?.[method];
      if (!next) return [`${title} is gone`];
      return operationChanges({ schemas, operations: [operation, next] }).map(change => `${title}: ${change}`);
    }),
  );
}

/** Returns the breaking changes that `docs/reference/breaking-changes.json` does not declare. */
export function undeclaredChanges(before: ComparedDocument, after: ComparedDocument): readonly string[] {
  const declared: readonly { readonly change: string }[] = JSON.parse(readFileSync(declaredFile, 'utf8'));
  const known = new Set(declared.map(({ change }) => change));
  return breakingChanges(before, after).filter(change => !known.has(change));
}
