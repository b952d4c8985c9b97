import { diffJson } from './json.js';

it.each([
  ['a changed value', { a: 1, b: 2 }, { a: 1, b: 3 }, [{ pointer: '/b', from: 2, to: 3 }]],
  ['an added member', {}, { a: { b: 1 } }, [{ pointer: '/a', to: { b: 1 } }]],
  ['a removed member', { a: { b: 1 }, c: null }, { c: null }, [{ pointer: '/a', from: { b: 1 } }]],
  [
    'a changed member of an object',
    { f: { cpus: 1, mb: 2 } },
    { f: { cpus: 4, mb: 2 } },
    [{ pointer: '/f/cpus', from: 1, to: 4 }],
  ],
  ['names with slashes and tildes, escaped', { 'a/b~c': 1 }, { 'a/b~c': 2 }, [{ pointer: '/a~1b~0c', from: 1, to: 2 }]],
  [
    'changed and added elements of an array by index',
    { zones: [{ name: 'a' }, { name: 'b' }] },
    { zones: [{ name: 'c' }, { name: 'b' }, { name: 'd' }] },
    [
      { pointer: '/zones/0/name', from: 'a', to: 'c' },
      { pointer: '/zones/2', to: { name: 'd' } },
    ],
  ],
  [
    'the removed elements of a shorter array',
    [1, 2, 3],
    [1],
    [
      { pointer: '/1', from: 2 },
      { pointer: '/2', from: 3 },
    ],
  ],
  ['an array that became an object', { a: [] }, { a: {} }, [{ pointer: '/a', from: [], to: {} }]],
  ['a removed null', { a: null }, {}, [{ pointer: '/a', from: null }]],
  ['no change between undefined and a missing member', { a: undefined }, {}, []],
  ['a change of the root value', 1, 2, [{ pointer: '', from: 1, to: 2 }]],
  ['a root value where there was none', undefined, { a: 1 }, [{ pointer: '', to: { a: 1 } }]],
])('diffJson reports %s', (_what, from, to, changes) => {
  expect(diffJson(from, to)).toEqual(changes);
});
