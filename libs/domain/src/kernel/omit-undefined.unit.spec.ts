import { omitUndefined } from './json.js';

describe('omitUndefined', () => {
  it('leaves out members that are undefined, and keeps null, false, zero and empty text', () => {
    const kept = { a: null, b: false, c: 0, d: '' };
    expect(Object.keys(omitUndefined({ ...kept, e: undefined }))).toEqual(Object.keys(kept));
  });
});
