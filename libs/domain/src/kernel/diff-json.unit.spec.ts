import { diffJson } from './json.js';

it.each([
  ['a value', { a: 1, b: 2 }, { a: 1, b: 3 }, [{ pointer: '/b', from: 2, to: 3 }]],
  ['what came', {}, { a: { b: 1 } }, [{ pointer: '/a', to: { b: 1 } }]],
  ['what went', { a: { b: 1 }, c: null }, { c: null }, [{ pointer: '/a', from: { b: 1 } }]],
  [
    'a part of an object',
    { f: { cpus: 1, mb: 2 } },
    { f: { cpus: 4, mb: 2 } },
    [{ pointer: '/f/cpus', from: 1, to: 4 }],
  ],
  ['names with signs', { 'a/b~c': 1 }, { 'a/b~c': 2 }, [{ pointer: '/a~1b~0c', from: 1, to: 2 }]],
  [
    'entries of a list, by place',
    { zones: [{ name: 'a' }, { name: 'b' }] },
    { zones: [{ name: 'c' }, { name: 'b' }, { name: 'd' }] },
    [
      { pointer: '/zones/0/name', from: 'a', to: 'c' },
      { pointer: '/zones/2', to: { name: 'd' } },
    ],
  ],
  [
    'a list that got shorter',
    [1, 2, 3],
    [1],
    [
      { pointer: '/1', from: 2 },
      { pointer: '/2', from: 3 },
    ],
  ],
  ['another shape', { a: [] }, { a: {} }, [{ pointer: '/a', from: [], to: {} }]],
  ['null and nothing', { a: null }, {}, [{ pointer: '/a', from: null }]],
  ['undefined and nothing', { a: undefined }, {}, []],
  ['the complete', 1, 2, [{ pointer: '', from: 1, to: 2 }]],
  ['what came to be', undefined, { a: 1 }, [{ pointer: '', to: { a: 1 } }]],
])('diffJson shows %s', (_what, from, to, changes) => {
  expect(diffJson(from, to)).toEqual(changes);
});
