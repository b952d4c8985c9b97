import { stableId } from './stable-id.js';

it('a stable id is a UUID of version 5, the same for the same parts', () => {
  expect(stableId('a', 1)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(stableId('a', 1)).toBe(stableId('a', 1));
});

it('a stable id depends on where its parts end', () => {
  expect(stableId('a', 'bc')).not.toBe(stableId('ab', 'c'));
  expect(stableId('a', '')).not.toBe(stableId('a'));
  expect(stableId('1:a')).not.toBe(stableId('a'));
});
