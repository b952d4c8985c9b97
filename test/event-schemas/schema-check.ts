import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { schemaFile } from './schema-documents.js';

/** Returns a function that reports how a CloudEvent violates the schemas; undefined when it is valid. */
export function schemaCheck(): (event: unknown) => string | undefined {
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  const accepts = ajv.compile(JSON.parse(readFileSync(schemaFile, 'utf8')));
  return event => (accepts(event) ? undefined : `${ajv.errorsText(accepts.errors)}: ${JSON.stringify(event)}`);
}
