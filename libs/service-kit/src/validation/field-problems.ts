import type { FieldProblem } from '@stave/contracts';
import type { ErrorObject } from 'ajv';
import { escapedMember as escaped } from './json-limits.js';

const codes: Readonly<Record<string, string>> = {
  additionalProperties: 'unknown-member',
  required: 'required',
  type: 'wrong-type',
  immutable: 'immutable',
  enum: 'not-allowed',
  discriminator: 'not-allowed',
  minimum: 'out-of-range',
  maximum: 'out-of-range',
  exclusiveMinimum: 'out-of-range',
  minLength: 'too-short',
  maxLength: 'too-long',
  minItems: 'too-few',
  maxItems: 'too-many',
  uniqueItems: 'duplicate',
  minProperties: 'too-few',
  maxProperties: 'too-many',
  pattern: 'malformed',
  format: 'malformed',
};

function pointerOf({ instancePath, params }: ErrorObject): string {
  const member: unknown =
    params['additionalProperty'] ?? params['missingProperty'] ?? params['propertyName'] ?? params['tag'];
  return typeof member === 'string' ? `${instancePath}/${escaped(member)}` : instancePath;
}

const formats: Readonly<Record<string, string>> = {
  line: 'must be one line without control characters and without invisible ones, such as direction marks',
  'existing-day': 'must be a duration, or an instant of a day that exists',
};

/** The keywords that a number or text of several forms breaks: its description says all of them. */
const ofForms: ReadonlySet<string> = new Set(['pattern', 'type', 'minimum', 'maximum']);

/** Descriptions of formatted text begin with the format: `a duration such as 10s`. */
function formOf({ keyword, parentSchema }: ErrorObject): string | undefined {
  const { pattern, description } = (parentSchema ?? {}) as { readonly pattern?: string; readonly description?: string };
  if (pattern === undefined || description === undefined || !ofForms.has(keyword)) return undefined;
  return `must be ${description}`;
}

function detailOf(error: ErrorObject): string {
  const { keyword, params, message, parentSchema } = error;
  const form = formOf(error);
  if (form !== undefined) return form;
  if (keyword === 'additionalProperties') return 'is not known here';
  if (keyword === 'required') return 'is required';
  if (keyword === 'discriminator') return 'is none of the known values';
  if (keyword === 'immutable') return String(parentSchema?.['description'] ?? 'cannot be changed');
  if (keyword === 'pattern') return `must match ${String(params['pattern'])}`;
  const format = formats[String(params['format'])];
  if (keyword === 'format' && format !== undefined) return format;
  if (keyword === 'enum') return `must be one of ${[params['allowedValues']].flat().map(String).join(', ')}`;
  return message ?? 'is not valid';
}

/** Turns ajv's errors into problems of the API, one for each member and code. `propertyNames` and `if` only repeat the errors of their schemas. */
export function fieldProblems(errors: readonly ErrorObject[]): FieldProblem[] {
  const found = new Map<string, FieldProblem>();
  for (const error of errors) {
    if (error.keyword === 'propertyNames' || error.keyword === 'if') continue;
    const member = error.propertyName;
    const pointer = member === undefined ? pointerOf(error) : `${error.instancePath}/${escaped(member)}`;
    const code = member === undefined ? (codes[error.keyword] ?? 'invalid') : 'malformed';
    found.set(`${pointer} ${code}`, { pointer, code, detail: detailOf(error) });
  }
  return [...found.values()];
}

/** The same for a query string: `?limit` instead of `/limit`. */
export const queryProblems = (errors: readonly ErrorObject[]): FieldProblem[] =>
  fieldProblems(errors).map(({ pointer, code, detail }) => ({
    pointer: `?${pointer.slice(1).replaceAll('~1', '/').replaceAll('~0', '~')}`,
    code: code === 'unknown-member' ? 'unknown-parameter' : code,
    detail,
  }));
