import fc from 'fast-check';
import { originalForm, storedForm } from './mongo-keys.js';

const isPlain = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => (Array.isArray(value) || !/\.|^\$/.test(key)) && isPlain(inner));
};

it('stored documents have no key with a dot or a leading dollar and are restored unchanged', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '.', '$', '%', '2', 'E', '4', '5'), maxLength: 6 });
  const members = fc.dictionary(text, fc.jsonValue(), { noNullPrototype: true });
  fc.assert(
    fc.property(members, labels => {
      const document = { _id: '1', labels, list: [labels], plain: { a: 1 } };
      const stored = storedForm(document);
      expect(isPlain(JSON.parse(JSON.stringify(stored['labels'])))).toBe(true);
      expect(originalForm(JSON.parse(JSON.stringify(stored)))).toEqual(JSON.parse(JSON.stringify(document)));
      expect(stored['plain']).toBe(document.plain);
    }),
  );
});
