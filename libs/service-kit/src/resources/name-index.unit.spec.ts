import { NameIndex } from './find-resource.js';

it('finds resources by name without regard to case, also those added or created since the last lookup', () => {
  const states = new Map<string, { readonly name?: string }>([
    ['1', { name: 'Web' }],
    ['2', {}],
  ]);
  const index = new NameIndex(
    {
      get size() {
        return states.size;
      },
      ids: () => states.keys(),
      get: (id: string) => states.get(id),
    },
    ({ name }) => name,
  );
  expect(index.idsOf('WEB')).toEqual(['1']);
  states.set('2', { name: 'web' });
  states.set('3', { name: 'db' });
  expect(index.idsOf('web')).toEqual(['1', '2']);
  expect(index.idsOf('db')).toEqual(['3']);
  expect(index.idsOf('none')).toEqual([]);
});
