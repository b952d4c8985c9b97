import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@stave/testing';
import { tableLines, takeoverTables } from './takeover-doc.js';

it('docs/operate/takeover.md contains the takeover tables of the code', () => {
  const page = readFileSync(join(repositoryRoot(), 'docs', 'operate', 'takeover.md'), 'utf8');
  expect(tableLines(page)).toEqual(takeoverTables());
});
