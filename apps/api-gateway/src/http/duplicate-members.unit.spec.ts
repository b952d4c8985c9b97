import { duplicateMembers } from './duplicate-members.js';

const pointers = (text: string): string[] => duplicateMembers(text).map(({ pointer }) => pointer);

describe('duplicateMembers', () => {
  it('returns nothing for the same name in different objects, in texts and in lists', () => {
    const value = { a: { a: 'a:a,"a":{' }, b: [{ a: 1 }, { a: 2 }, '"a":1,"a":2', 'a', 'a'], c: {}, d: [], '': '\\' };
    expect(pointers(JSON.stringify(value))).toEqual([]);
    expect(pointers(JSON.stringify(value, undefined, 2))).toEqual([]);
  });

  it('finds repeated names at any depth, once each, also when they are written with escapes', () => {
    expect(pointers('{"a":1,"b":{"c":[0,{"d":1,"d":2,"d":3}]},"a":4}')).toEqual(['/b/c/1/d', '/a']);
    expect(pointers('{"~/":1,"\\u007e/":2}')).toEqual(['/~0~1']);
  });

  it('checks a body of the largest size in time that is linear in its length', () => {
    const text = `{${Array.from({ length: 15_000 }, (_, i) => `"k${i}":"\\"\\\\"`).join(',')},"k0":1}`;
    expect(pointers(text)).toEqual(['/k0']);
  });

  it('refuses a text with more than 20,000 values', () => {
    expect(duplicateMembers(JSON.stringify(Array.from({ length: 20_001 }, () => 1)))).toMatchObject([
      { pointer: '', code: 'too-many' },
    ]);
  });

  it('ends at a depth that no body may have', () => {
    expect(pointers(`{"b":1,"b":1,"a":${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)},"c":1,"c":1}`)).toEqual(['/b']);
  });
});
