import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { diffJson, type JsonChange } from './json.js';

type Members = Record<string, unknown>;

/** Takes the changes over into a copy, as a client would. */
function applied(value: unknown, changes: readonly JsonChange[]): unknown {
  const root: Members = { complete: structuredClone(value) };
  // what is taken off a list goes from its end
  for (const change of [...changes].reverse()) {
    const path = change.pointer.split('/').slice(1);
    const keys = ['complete', ...path.map(key => key.replaceAll('~1', '/').replaceAll('~0', '~'))];
    const last = keys.pop() ?? '';
    const parent = keys.reduce<unknown>((at, key) => (at as Members)[key], root) as Members | unknown[];
    if ('to' in change) Object.defineProperty(parent, last, { value: change.to, ...writable });
    else if (Array.isArray(parent)) parent.pop();
    else delete parent[last];
  }
  return root['complete'];
}
const writable = { enumerable: true, configurable: true, writable: true };

const json = fc.jsonValue({ maxDepth: 4 }).map(value => JSON.parse(JSON.stringify(value)));

describe('diffJson', () => {
  it('diffJson is empty for equal values, and only for these', () => {
    fc.assert(fc.property(json, value => diffJson(value, structuredClone(value)).length === 0));
    fc.assert(fc.property(json, json, (a, b) => (diffJson(a, b).length === 0) === isDeepStrictEqual(a, b)));
  });

  it('diffJson contains every change from one value to the other', () => {
    fc.assert(fc.property(json, json, (a, b) => expect(applied(a, diffJson(a, b))).toEqual(b)));
  });

  it('diffJson of swapped values has the swapped changes', () => {
    const swapped = ({ pointer, ...rest }: JsonChange): JsonChange => ({
      pointer,
      ...('to' in rest ? { from: rest.to } : {}),
      ...('from' in rest ? { to: rest.from } : {}),
    });
    fc.assert(fc.property(json, json, (a, b) => expect(diffJson(b, a)).toEqual(diffJson(a, b).map(swapped))));
  });
});
