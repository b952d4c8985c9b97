import { SampledNode, SampledNodes } from './sampled-nodes.js';

let existing: Set<string>;
let nodes: SampledNodes<SampledNode>;
let searches: string[];
beforeEach(() => {
  existing = new Set(['a', 'b', 'c']);
  searches = [];
  nodes = new SampledNodes(id => {
    searches.push(id);
    return existing.has(id) ? new SampledNode(id, 'k', 'g') : undefined;
  });
});

const found = (...ids: string[]): unknown => nodes.of(ids).map(node => node?.id);

it('nodes are found in the order of every message, also where it is another one than before', () => {
  const [a, b, c] = nodes.of(['a', 'b', 'c']);
  for (const order of ['abc', 'cba', 'aab', 'bcabcc', 'abc', 'ac'])
    expect(nodes.of([...order])).toEqual([...order].map(id => ({ a, b, c })[id]));
  expect(searches).toEqual(['a', 'b', 'c']);
});

it('a node that does not exist is not found, and does not hide those around it', () => {
  expect(found('x', 'a', 'x', 'b')).toEqual([undefined, 'a', undefined, 'b']);
  expect(found('a', 'b')).toEqual(['a', 'b']);
  existing.add('x');
  expect(found('a', 'x', 'b')).toEqual(['a', 'x', 'b']);
});

it('a node that was forgotten is not found by the node before it', () => {
  found('a', 'b', 'c');
  existing.delete('b');
  nodes.forget('b');
  expect(found('a', 'b', 'c')).toEqual(['a', undefined, 'c']);
  expect(nodes.get('b')).toBeUndefined();
  expect(found('a', 'c', 'b')).toEqual(['a', 'c', undefined]);
});
