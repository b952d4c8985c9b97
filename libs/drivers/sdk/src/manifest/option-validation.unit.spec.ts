import { canOperate, compatibleFrom } from './compatibility.js';
import { validateOptions } from './option-validation.js';

describe('option validation', () => {
  const options = {
    type: 'object',
    additionalProperties: false,
    required: ['size'],
    properties: {
      size: { type: 'integer', minimum: 1, 'x-stave-change': 'roll' },
      nested: { type: 'object', additionalProperties: false, properties: { a: { type: 'string' } } },
    },
  };

  it('takes what fits', () => {
    expect(validateOptions({ options }, { size: 3, nested: { a: 'x' } })).toEqual([]);
  });

  it('names all that is wrong, by pointer', () => {
    const problems = validateOptions({ options }, { nested: { 'a/b': 1, a: 2 }, other: true });
    expect(problems.map(({ pointer, code }) => [pointer, code]).sort()).toEqual([
      ['/nested/a', 'type'],
      ['/nested/a~1b', 'unknown'],
      ['/other', 'unknown'],
      ['/size', 'required'],
    ]);
  });
});

describe('compatibility', () => {
  it.each([
    ['1.4.2', undefined, '1.4.0', true],
    ['1.4.2', undefined, '1.3.9', false],
    ['1.4.2', '1.0.0', '1.3.9', true],
    ['1.4.2', '1.0.0', '1.4.3', false],
    ['2.0.0', '1.4.0', '1.4.0', true],
  ])('driver %s, compatible from %s, operates what %s built: %s', (version, from, recorded, expected) => {
    const manifest = { version, ...(from && { compatibleFrom: from }) };
    expect(canOperate(manifest, recorded)).toBe(expected);
    expect(compatibleFrom(manifest)).toBe(from ?? '1.4.0');
  });
});
