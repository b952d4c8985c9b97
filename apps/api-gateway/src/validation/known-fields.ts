import type { FieldProblem } from '@stave/contracts';
import type { JsonSchema } from '@stave/contracts/schemas';
import { isObject, member } from '../http/members.js';
import type { Route } from '../routes/route.js';

/** Returns the schema of the documents that `fields` selects from: those of a page, or the answer itself. */
function documentOf({ answers }: Route): JsonSchema {
  const answer = answers[200] ?? {};
  const items = member(member(member(answer, 'properties'), 'items'), 'items');
  return isObject(items) ? items : answer;
}

/** Returns the members of the documents that `fields` selects from. */
export const fieldNames = (route: Route): readonly string[] =>
  Object.keys(Object(member(documentOf(route), 'properties')));

/** Whether documents of the schema can have a member at the path. Members of an open object have any name, with dots, too. */
function isKnown(schema: unknown, path: string): boolean {
  const properties = member(schema, 'properties');
  if (!isObject(properties)) return isObject(schema) && member(schema, 'items') === undefined && isOpen(schema);
  if (Object.hasOwn(properties, path)) return true;
  const dot = path.indexOf('.');
  if (dot < 0) return isOpen(schema);
  const name = path.slice(0, dot);
  return Object.hasOwn(properties, name) ? isKnown(properties[name], path.slice(dot + 1)) : isOpen(schema);
}

function isOpen(schema: unknown): boolean {
  const types = [member(schema, 'type')].flat();
  return types.includes('object') && member(schema, 'additionalProperties') !== false;
}

/** Returns a problem when `fields` names what the documents of the route never have. */
export function unknownFields(route: Route, fields: unknown): FieldProblem[] {
  if (typeof fields !== 'string') return [];
  const schema = documentOf(route);
  const unknown = [...new Set(fields.split(','))].filter(path => !isKnown(schema, path));
  if (unknown.length === 0) return [];
  return [{ pointer: '?fields', code: 'unknown-field', detail: `names unknown fields: ${unknown.join(', ')}` }];
}
