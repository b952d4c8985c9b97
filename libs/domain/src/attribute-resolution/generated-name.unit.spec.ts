import { generatedName } from './merge-groups.js';

it('a generated name is the name of the source, a dash and the last six characters of the id, within the length limit', () => {
  expect(generatedName('web', '019a-000abcdef')).toBe('web-abcdef');
  expect(generatedName('a'.repeat(63), '123456')).toBe(`${'a'.repeat(56)}-123456`);
  expect(generatedName(`${'a'.repeat(55)}-b`.padEnd(63, 'c'), '123456')).toBe(`${'a'.repeat(55)}-123456`);
});
