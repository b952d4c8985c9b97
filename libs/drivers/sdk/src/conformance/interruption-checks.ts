import type { DriverContext, UnitKind } from '../driver.js';
import { SessionLost } from './recording-context.js';
import type { Scoring } from './scoring.js';
import { newSubject, type Subject } from './subject.js';
import type { TestBed } from './test-bed.js';

const mostBoundaries = 100;

/** Calls that end at any of their boundaries: repeated, they converge and leave nothing double. */
export function interruptionChecks(kind: UnitKind, bed: () => TestBed, { check }: Pick<Scoring, 'check'>): void {
  check('repeats a create that crashed before any of its changes', async () => {
    await atEveryBoundary(
      bed(),
      kind,
      async () => undefined,
      (subject, ctx) => subject.create(ctx, 1),
      async subject => {
        await subject.create(bed().context(), 1);
        expect(await subject.units()).toEqual([expect.objectContaining({ generation: 1, state: 'running' })]);
      },
    );
  });

  check('repeats a replacement that crashed before any of its changes', async () => {
    const first = (subject: Subject) => subject.create(bed().context(), 1);
    await atEveryBoundary(
      bed(),
      kind,
      first,
      (subject, ctx) => subject.create(ctx, 2),
      async subject => {
        await subject.create(bed().context({ generation: 2 }), 2);
        expect(await subject.units()).toEqual([expect.objectContaining({ generation: 2, state: 'running' })]);
      },
    );
  });

  check('repeats a delete that crashed before any of its changes', async () => {
    const first = (subject: Subject) => subject.create(bed().context(), 1);
    await atEveryBoundary(
      bed(),
      kind,
      first,
      (subject, ctx) => subject.delete(ctx, 1),
      async subject => {
        await subject.delete(bed().context(), 1);
        expect(await subject.units()).toEqual([]);
      },
    );
  });

  check('starts nothing when its signal has fired', async () => {
    const subject = newSubject(kind, bed());
    await expect(subject.create(bed().context({ signal: AbortSignal.abort() }), 1)).rejects.toThrow();
    expect(await subject.units()).toEqual([]);
  });

  check('stops at its signal and can be repeated', async () => {
    const subject = newSubject(kind, bed());
    const controller = new AbortController();
    const ctx = bed().context({ signal: controller.signal, atCheckpoint: () => controller.abort() });
    await Promise.allSettled([subject.create(ctx, 1)]);
    await subject.create(bed().context(), 1);
    expect(await subject.units()).toEqual([expect.objectContaining({ generation: 1, state: 'running' })]);
    await subject.delete(bed().context(), 1);
    expect(await subject.units()).toEqual([]);
  });
}

/** Runs `call` on a fresh resource for each boundary, ends it there, and lets `repeat` see what is left. */
async function atEveryBoundary(
  bed: TestBed,
  kind: UnitKind,
  prepare: (subject: Subject) => Promise<unknown>,
  call: (subject: Subject, ctx: DriverContext) => Promise<unknown>,
  repeat: (subject: Subject) => Promise<void>,
): Promise<void> {
  const boundaries = await run(Infinity);
  expect(boundaries).toBeGreaterThan(0);
  expect(boundaries).toBeLessThan(mostBoundaries);
  const all = Array.from({ length: boundaries }, (_, index) => index + 1);
  for (const end of bed.fixture.slow ? new Set([1, boundaries]) : all) await run(end);

  async function run(end: number): Promise<number> {
    const subject = newSubject(kind, bed);
    let reached = 0;
    const ctx = bed.context({
      atCheckpoint: n => {
        reached = n;
        if (n >= end) throw new SessionLost(`the session ended at boundary ${n}`);
      },
    });
    await prepare(subject);
    const [outcome] = await Promise.allSettled([call(subject, ctx)]);
    expect({ end, status: outcome.status }).toEqual({ end, status: end === Infinity ? 'fulfilled' : 'rejected' });
    await repeat(subject);
    await subject.delete(bed.context({ generation: 2 }), 2);
    expect(await subject.units()).toEqual([]);
    return reached;
  }
}
