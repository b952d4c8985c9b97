import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { API_VERSION, asyncApiDocument } from '@stave/api-gateway';
import { repositoryRoot } from '@stave/testing';
import { schemaFile } from '../event-schemas/schema-documents.js';

export const asyncApiFile = join(repositoryRoot(), 'docs/reference/asyncapi.json');

/** Returns the content of docs/reference/asyncapi.json, made from the schemas of events. */
export const asyncApiText = (): string =>
  `${JSON.stringify(asyncApiDocument(JSON.parse(readFileSync(schemaFile, 'utf8')), API_VERSION), null, 1)}\n`;
