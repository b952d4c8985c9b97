import type { ServiceRequest } from '@stave/contracts';
import { PlanTurns } from './plan-turns.js';

const of = (project: string | null): ServiceRequest => ({
  meta: { correlationId: 'c', actor: { keyId: 'k', role: 'member', project } },
  body: {},
});

describe('PlanTurns', () => {
  it('computes four plans of a project at once, refuses a fifth one with a time to come back, and accepts those of others', async () => {
    const turns = new PlanTurns();
    const release: (() => void)[] = [];
    const compute = async (): Promise<string> => {
      await new Promise<void>(resolve => release.push(resolve));
      return 'plan';
    };
    const mine = [1, 2, 3, 4].map(() => turns.take(of('p'), compute));
    await expect(turns.take(of('p'), compute)).rejects.toMatchObject({
      error: { code: 'too-many-plans', kind: 'rate', retryAfterMs: 1_000 },
    });
    const others = turns.take(of('q'), compute);
    for (const end of release) end();
    expect(await Promise.all([...mine, others])).toEqual(Array.from({ length: 5 }, () => 'plan'));
    const failed = turns.take(of('p'), () => Promise.reject(new Error('no')));
    await expect(failed).rejects.toThrow('no');
    await expect(turns.take(of('p'), () => Promise.resolve('again'))).resolves.toBe('again');
  });
});
