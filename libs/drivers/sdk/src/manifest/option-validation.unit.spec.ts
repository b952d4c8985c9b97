import { canOperate, compatibleFrom } from './compatibility.js';
import { validateOptions } from './option-validation.js';

describe('validateOptions', () => {
  const options = {
    type: 'object',
    additionalProperties: false,
    required: ['size'],
    properties: {
      size: { type: 'integer', minimum: 1, 'x-stave-change': 'roll' },
      nested: { type: 'object', additionalProperties: false, properties: { a: { type: 'string' } } },
    },
  };

  it('accepts options that satisfy the schema', () => {
    expect(validateOptions({ options }, { size: 3, nested: { a: 'x' } })).toEqual([]);
  });

  it('reports every violation with a pointer to the member', () => {
    const problems = validateOptions({ options }, { nested: { 'a/b': 1, a: 2 }, other: true });
    expect(problems.map(({ pointer, code }) => [pointer, code]).sort()).toEqual([
      ['/nested/a', 'type'],
      ['/nested/a~1b', 'unknown'],
      ['/other', 'unknown'],
      ['/size', 'required'],
    ]);
  });
});

describe('Compatibility of driver versions', () => {
  it.each([
    ['1.4.2', undefined, '1.4.0', true],
    ['1.4.2', undefined, '1.3.9', false],
    ['1.4.2', '1.0.0', '1.3.9', true],
    ['1.4.2', '1.0.0', '1.4.3', false],
    ['2.0.0', '1.4.0', '1.4.0', true],
  ])('version %s with compatibleFrom %s operates clusters that %s built: %s', (version, from, recorded, expected) => {
    const manifest = { version, ...(from && { compatibleFrom: from }) };
    expect(canOperate(manifest, recorded)).toBe(expected);
    expect(compatibleFrom(manifest)).toBe(from ?? '1.4.0');
  });
});
