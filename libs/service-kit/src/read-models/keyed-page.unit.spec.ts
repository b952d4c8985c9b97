import { RefusedError } from '@stave/contracts';
import { keyedPage, type KeyedPage } from './keyed-page.js';

const keys = ['eva', 'auth0|ann', 'bob'];
const page = (cursor?: string, list = 'members of p1'): KeyedPage<string> =>
  keyedPage(keys, key => key, { list, limit: 2, ...(cursor === undefined ? {} : { cursor }) });

const next = (): string => page().nextCursor ?? '';

it('all pages together have each item once, in the order of the keys, and the last one has no cursor', () => {
  expect(page().items).toEqual(['auth0|ann', 'bob']);
  expect(page(next())).toEqual({ items: ['eva'], nextCursor: null });
});

it('a cursor shows no key', () => {
  expect(next()).not.toContain('bob');
});

it.each([
  ['a key', () => page('bob')],
  ['a cursor of another list', () => page(next(), 'members of p2')],
  ['a cursor with a number', () => page(Buffer.from('["x",1]').toString('base64url'))],
])('%s is no cursor of the list', (_, request) => {
  expect(request).toThrow(RefusedError);
  expect(request).toThrow(/invalid-cursor/);
});
