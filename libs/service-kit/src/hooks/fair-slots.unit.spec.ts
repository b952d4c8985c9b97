import { setImmediate } from 'node:timers/promises';
import { FairSlots } from './fair-slots.js';

describe('places for works of several owners', () => {
  let begun: string[];
  let ends: Map<string, () => void>;
  let slots: FairSlots;
  beforeEach(() => {
    begun = [];
    ends = new Map();
    slots = new FairSlots(4);
  });

  const run = (owner: string, n: number): Promise<void> =>
    slots.run(owner, () => {
      begun.push(`${owner}${n}`);
      return new Promise<void>(resolve => ends.set(`${owner}${n}`, resolve));
    });
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    await setImmediate();
  };

  it('one owner has at most half of them, so that there is room for others at once', async () => {
    for (let n = 1; n <= 10; n++) void run('a', n);
    await setImmediate();
    expect(begun).toEqual(['a1', 'a2']);
    void run('b', 1);
    await setImmediate();
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    await end('a1');
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  it('a free one goes to who has the fewest, then to who has waited longest', async () => {
    for (let n = 1; n <= 3; n++) for (const owner of ['a', 'b', 'c']) void run(owner, n);
    await setImmediate();
    expect(begun).toEqual(['a1', 'b1', 'c1', 'a2']);
    await end('b1');
    expect(begun.slice(4)).toEqual(['b2']);
    await end('a1');
    expect(begun.slice(5)).toEqual(['c2']);
  });

  it('a work that fails gives its place back, and the end refuses what waits', async () => {
    const one = new FairSlots(1);
    await expect(one.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    const held = one.run('a', () => new Promise<void>(resolve => ends.set('held', resolve)));
    const waits = one.run('b', async () => undefined);
    one.end(new Error('stopped'));
    await expect(waits).rejects.toThrow('stopped');
    await expect(one.run('a', async () => undefined)).rejects.toThrow('stopped');
    await end('held');
    await held;
  });
});
