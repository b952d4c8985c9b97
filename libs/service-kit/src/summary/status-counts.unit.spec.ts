import { StatusCounts, type Counted } from './status-counts.js';

describe('counts by status', () => {
  const resources = new Map<string, Counted>();
  let looked: string[] = [];
  const counts = (): StatusCounts =>
    new StatusCounts(
      () => resources.keys(),
      id => {
        looked.push(id);
        return resources.get(id);
      },
    );
  const put = (id: string, status: string, projectId = 'p1'): void => void resources.set(id, { status, projectId });
  beforeEach(() => {
    resources.clear();
    looked = [];
    for (let n = 0; n < 1_200; n++) put(`r${n}`, n % 3 === 0 ? 'FAILED' : 'ACTIVE', n % 2 === 0 ? 'p1' : 'p2');
  });

  it('counts of a project and of all agree with the resources', async () => {
    const all = counts();
    expect(await all.of(null)).toEqual({ ACTIVE: 800, FAILED: 400 });
    expect(await all.of(['p1'])).toEqual({ ACTIVE: 400, FAILED: 200 });
    expect(await all.of(['p1', 'p2'])).toEqual({ ACTIVE: 800, FAILED: 400 });
    expect(await all.of(['p3', ''])).toEqual({});
  });

  it('a later question counts what has changed, and nothing else', async () => {
    const kept = counts();
    await kept.of(null);
    looked = [];
    put('r0', 'ACTIVE');
    put('new', 'CREATING', 'p2');
    resources.delete('r3');
    for (const id of ['r0', 'new', 'r3', 'r0']) kept.mark(id);
    expect(await kept.of(null)).toEqual({ ACTIVE: 801, CREATING: 1, FAILED: 398 });
    expect(looked.sort()).toEqual(['new', 'r0', 'r3']);
    expect(await kept.of(['p2'])).toEqual({ ACTIVE: 400, CREATING: 1, FAILED: 199 });
  });

  it('a question sees what changed before it, although an earlier one is being answered', async () => {
    const kept = counts();
    const first = kept.of(null);
    put('r0', 'DELETING');
    kept.mark('r0');
    const second = kept.of(null);
    await first;
    expect(await second).toMatchObject({ DELETING: 1 });
  });

  it('a look that fails loses no change', async () => {
    let isBroken = false;
    const kept = new StatusCounts(
      () => resources.keys(),
      id => {
        if (isBroken) throw new Error('broken');
        return resources.get(id);
      },
    );
    await kept.of(null);
    put('r0', 'ACTIVE');
    kept.mark('r0');
    isBroken = true;
    await expect(kept.of(null)).rejects.toThrow('broken');
    isBroken = false;
    expect(await kept.of(null)).toEqual({ ACTIVE: 801, FAILED: 399 });
  });
});
