import { generatedName } from './merge-groups.js';

it('is the source, a dash and the last six characters, and never too long', () => {
  expect(generatedName('web', '019a-000abcdef')).toBe('web-abcdef');
  expect(generatedName('a'.repeat(63), '123456')).toBe(`${'a'.repeat(56)}-123456`);
  expect(generatedName(`${'a'.repeat(55)}-b`.padEnd(63, 'c'), '123456')).toBe(`${'a'.repeat(55)}-123456`);
});
