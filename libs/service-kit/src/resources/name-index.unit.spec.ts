import { NameIndex } from './find-resource.js';
import { LiveEntries } from './live-entries.js';

interface Thing {
  readonly name: string;
}

it('a name index finds resources without regard to case, also those added since the last lookup, until they leave memory', () => {
  const entries = new LiveEntries<Thing | undefined>();
  const put = (id: string, name?: string): void =>
    entries.put(id, { state: name === undefined ? undefined : { name }, streamRevision: 0, position: 0 });
  put('1', 'Web');
  put('2');
  const index = new NameIndex<Thing>(
    { ids: () => entries.all.keys(), get: id => entries.get(id)?.state, watch: watcher => entries.watch(watcher) },
    ({ name }) => name,
  );
  expect(index.idsOf('WEB')).toEqual(['1']);
  put('2', 'web');
  put('3', 'db');
  expect(index.idsOf('web')).toEqual(['1', '2']);
  expect(index.idsOf('db')).toEqual(['3']);
  expect(index.idsOf('none')).toEqual([]);
  entries.forget('1');
  put('4', 'web');
  entries.forget('3');
  expect(index.idsOf('web')).toEqual(['2', '4']);
  expect(index.idsOf('db')).toEqual([]);
});
