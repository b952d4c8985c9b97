import { NodeTable } from './node-table.js';
import { place } from './place.js';
import { node, request } from './placement.fixture.js';

const kind = (setId: string) => ({ setId, labels: {} });
const held = (setId: string, count: number) => [{ kind: kind(setId), count }];
const kinds = (table: NodeTable): readonly (string | undefined)[] =>
  [...table.contents.all()].map(found => found.kind.setId).sort();

describe('the contents of a table that is kept', () => {
  it('kinds without containers are forgotten, and known again with the next', () => {
    const shared = held('a', 2);
    const table = new NodeTable([node({ id: 'n', held: shared })]);
    table.set(node({ id: 'n', held: held('b', 1) }));
    expect(kinds(table)).toEqual(['b']);
    table.set(node({ id: 'n', held: shared }));
    table.set(node({ id: 'm', held: held('a', 1) }));
    expect(kinds(table)).toEqual(['a']);
    const [counts] = [...table.contents.all()];
    expect([...(counts?.count.values() ?? [])].sort()).toEqual([1, 2]);
    table.delete('m');
    table.delete('n');
    expect(kinds(table)).toEqual([]);
  });

  it('a placement leaves no kind behind', () => {
    const table = new NodeTable([node({ id: 'n' })]);
    place(table, [request({ setId: 's', labels: {} })]);
    expect(kinds(table)).toEqual([]);
  });
});
