import { differences } from './object-difference.js';

const before = {
  metadata: { name: 'a', resourceVersion: '1', generation: 1, annotations: { 'a/b~c': 'x' } },
  spec: { replicas: 1, ports: [{ port: 80 }], gone: true },
  status: { ready: false },
};
const after = {
  metadata: { name: 'a', resourceVersion: '2', generation: 2, annotations: { 'a/b~c': 'y' } },
  spec: { replicas: 2, ports: [{ port: 81 }, { port: 82 }] },
  status: { ready: true },
};

describe('differences of objects of Kubernetes', () => {
  it('name each changed member by its pointer, without what the server writes', () => {
    expect(differences(before, after, { hideValues: false })).toEqual([
      { pointer: '/metadata/annotations/a~1b~0c', from: 'x', to: 'y' },
      { pointer: '/spec/replicas', from: 1, to: 2 },
      { pointer: '/spec/ports/0/port', from: 80, to: 81 },
      { pointer: '/spec/ports/1', to: { port: 82 } },
      { pointer: '/spec/gone', from: true },
    ]);
    expect(differences(before, { ...before, status: {} }, { hideValues: false })).toEqual([]);
  });

  it('contain no value of a secret, and no long one', () => {
    expect(differences({ data: { key: 'old' } }, { data: { key: 'new' } }, { hideValues: true })).toEqual([
      { pointer: '/data/key' },
    ]);
    expect(differences({ a: 1 }, { a: 'x'.repeat(2_000) }, { hideValues: false })).toEqual([
      { pointer: '/a', from: 1 },
    ]);
  });
});
