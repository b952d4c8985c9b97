import type { DriverContext, UnitKind } from '../../driver.js';
import { SessionLost } from './recording-context.js';
import type { RegisterCheck } from './conformance-score.js';
import { newResource, type ResourceUnderTest } from './resource-under-test.js';
import type { TestBed } from './test-bed.js';

const mostBoundaries = 100;

/** Registers the checks of calls that end before one of their changes: when repeated, they converge on one unit. */
export function interruptionChecks(kind: UnitKind, bed: () => TestBed, check: RegisterCheck): void {
  check('completes a create that crashed before any of its changes', async () => {
    await atEveryBoundary(
      bed(),
      kind,
      async () => undefined,
      (resource, ctx) => resource.create(ctx, 1),
      async resource => {
        await resource.create(bed().context(), 1);
        expect(await resource.units()).toEqual([expect.objectContaining({ generation: 1, state: 'running' })]);
      },
    );
  });

  check('completes a replacement that crashed before any of its changes', async () => {
    const first = (resource: ResourceUnderTest) => resource.create(bed().context(), 1);
    await atEveryBoundary(
      bed(),
      kind,
      first,
      (resource, ctx) => resource.create(ctx, 2),
      async resource => {
        await resource.create(bed().context({ generation: 2 }), 2);
        expect(await resource.units()).toEqual([expect.objectContaining({ generation: 2, state: 'running' })]);
      },
    );
  });

  check('completes a delete that crashed before any of its changes', async () => {
    const first = (resource: ResourceUnderTest) => resource.create(bed().context(), 1);
    await atEveryBoundary(
      bed(),
      kind,
      first,
      (resource, ctx) => resource.delete(ctx, 1),
      async resource => {
        await resource.delete(bed().context(), 1);
        expect(await resource.units()).toEqual([]);
      },
    );
  });

  check('starts no change when its signal has fired', async () => {
    const resource = newResource(kind, bed());
    await expect(resource.create(bed().context({ signal: AbortSignal.abort() }), 1)).rejects.toThrow();
    expect(await resource.units()).toEqual([]);
  });

  check('stops at its signal and can be repeated', async () => {
    const resource = newResource(kind, bed());
    const controller = new AbortController();
    const ctx = bed().context({ signal: controller.signal, atCheckpoint: () => controller.abort() });
    await Promise.allSettled([resource.create(ctx, 1)]);
    await resource.create(bed().context(), 1);
    expect(await resource.units()).toEqual([expect.objectContaining({ generation: 1, state: 'running' })]);
    await resource.delete(bed().context(), 1);
    expect(await resource.units()).toEqual([]);
  });
}

/** Runs `call` on a new resource once for each of its changes, ends it before that change, and then runs `repeat`. */
async function atEveryBoundary(
  bed: TestBed,
  kind: UnitKind,
  prepare: (resource: ResourceUnderTest) => Promise<unknown>,
  call: (resource: ResourceUnderTest, ctx: DriverContext) => Promise<unknown>,
  repeat: (resource: ResourceUnderTest) => Promise<void>,
): Promise<void> {
  const boundaries = await run(Infinity);
  expect(boundaries).toBeGreaterThan(0);
  expect(boundaries).toBeLessThan(mostBoundaries);
  const all = Array.from({ length: boundaries }, (_, index) => index + 1);
  for (const end of bed.fixture.slow ? new Set([1, boundaries]) : all) await run(end);

  async function run(end: number): Promise<number> {
    const resource = newResource(kind, bed);
    let reached = 0;
    const ctx = bed.context({
      atCheckpoint: n => {
        reached = n;
        if (n >= end) throw new SessionLost(`the session ended before change ${n}`);
      },
    });
    await prepare(resource);
    const [outcome] = await Promise.allSettled([call(resource, ctx)]);
    expect({ end, status: outcome.status }).toEqual({ end, status: end === Infinity ? 'fulfilled' : 'rejected' });
    await repeat(resource);
    await resource.delete(bed.context({ generation: 2 }), 2);
    expect(await resource.units()).toEqual([]);
    return reached;
  }
}
