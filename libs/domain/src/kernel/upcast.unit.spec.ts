import { NewerEventError, Upcasters, type Upcaster } from './upcast.js';

const second: Upcaster<{ a: number }, { a: number; b: number }> = {
  type: 'Made',
  from: 1,
  upcast: data => ({ ...data, b: 0 }),
};
const third: Upcaster<{ a: number; b: number }, { sum: number }> = {
  type: 'Made',
  from: 2,
  upcast: ({ a, b }) => ({ sum: a + b }),
};
const upcasters = new Upcasters([second, third]);

describe('upcasters', () => {
  it('upcasters convert data of each old version to the current one', () => {
    expect(upcasters.toCurrent('Made', 1, { a: 4 })).toEqual({ sum: 4 });
    expect(upcasters.toCurrent('Made', 2, { a: 4, b: 3 })).toEqual({ sum: 7 });
    expect(upcasters.currentVersion('Made')).toBe(3);
  });

  it('upcasters return data of the current version unchanged', () => {
    const data = { sum: 1 };
    expect(upcasters.toCurrent('Made', 3, data)).toBe(data);
    const other = {};
    expect(upcasters.toCurrent('Other', 1, other)).toBe(other);
    expect(upcasters.currentVersion('Other')).toBe(1);
  });

  it('upcasters refuse the version of a newer release', () => {
    expect(() => upcasters.toCurrent('Made', 4, {})).toThrow(NewerEventError);
    expect(() => upcasters.toCurrent('Other', 2, {})).toThrow('Other has version 2');
  });

  it('upcasters refuse a missing or duplicate version step', () => {
    expect(() => new Upcasters([third])).toThrow('a step from version 2 where 1 comes next');
    expect(() => new Upcasters([second, second])).toThrow('a step from version 1 where 2 comes next');
  });
});
