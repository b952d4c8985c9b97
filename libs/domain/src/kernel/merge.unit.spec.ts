import { mergePatch } from './json.js';
import { MAX_LABELS, labelProblems, mergeLabels } from './merge-labels.js';

const labels = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, 'v']));

describe('mergeLabels', () => {
  it('mergeLabels adds, replaces and removes one label, or removes all', () => {
    expect(mergeLabels({ a: '1', b: '2' }, { a: null, b: '3', c: '4', d: null })).toEqual({ b: '3', c: '4' });
    expect(mergeLabels({ a: '1' }, null)).toEqual({});
  });
});

it('labelProblems allows as many labels as a creation', () => {
  expect(labelProblems(undefined)).toEqual([]);
  expect(labelProblems(labels(MAX_LABELS))).toEqual([]);
  expect(labelProblems(labels(MAX_LABELS + 1))).toMatchObject([{ pointer: '/labels', code: 'too-many' }]);
});

// the cases of RFC 7396, appendix A
it.each([
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
])('mergePatch %j with %j', (target, patch, result) => {
  expect(mergePatch(target, patch)).toEqual(result);
});

it('mergePatch treats names of prototype members as ordinary names', () => {
  const patch: unknown = JSON.parse('{"__proto__":{"polluted":true}}');
  expect(Object.keys(mergePatch({}, patch) as object)).toEqual(['__proto__']);
  expect({}).not.toHaveProperty('polluted');
});
