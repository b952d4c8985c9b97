import { HashCache } from './hash-cache.js';

interface Value {
  readonly name: string;
  valid: boolean;
}

const isValid = ({ valid }: Value): boolean => valid;

describe('a cache by hash', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('returns what was put until its time has passed', () => {
    const cache = new HashCache<Value>({ ttlMs: 1_000, isValid });
    const value = { name: 'a', valid: true };
    expect(cache.put('h', value)).toBe(true);
    expect(cache.get('h')).toBe(value);
    jest.advanceTimersByTime(999);
    expect(cache.get('h')).toBe(value);
    jest.advanceTimersByTime(1);
    expect(cache.get('h')).toBeUndefined();
  });

  it('neither takes nor returns what is not valid any more', () => {
    const cache = new HashCache<Value>({ ttlMs: 1_000, isValid });
    expect(cache.put('h', { name: 'a', valid: false })).toBe(false);
    expect(cache.get('h')).toBeUndefined();
    const value = { name: 'a', valid: true };
    cache.put('h', value);
    value.valid = false;
    expect(cache.get('h')).toBeUndefined();
  });

  it('drops the oldest entry for another one, and what is forgotten', () => {
    const cache = new HashCache<Value>({ ttlMs: 1_000, isValid, most: 2 });
    for (const name of ['a', 'b', 'c']) cache.put(name, { name, valid: true });
    expect(['a', 'b', 'c'].map(hash => cache.get(hash)?.name)).toEqual([undefined, 'b', 'c']);
    cache.put('b', { name: 'B', valid: true });
    cache.forget(({ name }) => name === 'c');
    expect(['b', 'c'].map(hash => cache.get(hash)?.name)).toEqual(['B', undefined]);
  });
});
