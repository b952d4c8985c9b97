import { NameIndex } from './find-resource.js';

it('a name index finds resources without regard to case, also those added since the last lookup', () => {
  const states = new Map<string, { readonly name: string } | undefined>([
    ['1', { name: 'Web' }],
    ['2', undefined],
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
