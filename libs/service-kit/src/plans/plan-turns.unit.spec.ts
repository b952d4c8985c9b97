import type { ServiceRequest } from '@stave/contracts';
import { PlanTurns } from './plan-turns.js';

const of = (project: string | null): ServiceRequest => ({
  meta: { correlationId: 'c', actor: { keyId: 'k', role: 'member', project } },
  body: {},
});

describe('PlanTurns', () => {
  const release: (() => void)[] = [];
  const compute = async (): Promise<string> => {
    await new Promise<void>(resolve => release.push(resolve));
    return 'plan';
  };
  const settled = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

  it('computes four plans of a project at once; others wait, and too many are refused with a time to come back', async () => {
    const turns = new PlanTurns();
    const mine = Array.from({ length: 64 }, () => turns.take(of('p'), compute));
    await expect(turns.take(of('p'), compute)).rejects.toMatchObject({
      error: { code: 'too-many-plans', kind: 'rate', retryAfterMs: 1_000 },
    });
    const others = turns.take(of('q'), compute);
    await settled();
    expect(release).toHaveLength(5);
    while (release.length > 0) {
      release.shift()?.();
      await settled();
    }
    expect(await Promise.all([...mine, others])).toEqual(Array.from({ length: 65 }, () => 'plan'));
  });

  it('refuses a plan whose turn does not come in time, and never computes it', async () => {
    const turns = new PlanTurns(1);
    const running = Array.from({ length: 4 }, () => turns.take(of('r'), compute));
    const late = jest.fn(compute);
    await expect(turns.take(of('r'), late)).rejects.toMatchObject({ error: { code: 'too-many-plans', kind: 'rate' } });
    release.splice(0).forEach(end => end());
    await Promise.all(running);
    expect(late).not.toHaveBeenCalled();
    await expect(turns.take(of('r'), () => Promise.resolve('free'))).resolves.toBe('free');
  });

  it('gives the turn of a plan that failed to the next one', async () => {
    const turns = new PlanTurns();
    const failed = Array.from({ length: 5 }, () => turns.take(of('p'), () => Promise.reject(new Error('no'))));
    const last = turns.take(of('p'), () => Promise.resolve('again'));
    for (const one of failed) await expect(one).rejects.toThrow('no');
    await expect(last).resolves.toBe('again');
  });
});
