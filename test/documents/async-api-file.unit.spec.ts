import { readFileSync } from 'node:fs';
import { asyncApiFile, asyncApiText } from './async-api-file.js';

describe('docs/reference/asyncapi.json', () => {
  it('is the document that the gateway serves (`npm run event-schemas` writes it)', () => {
    expect(readFileSync(asyncApiFile, 'utf8')).toBe(asyncApiText());
  });
});
