import type { UnitKind } from '../driver.js';
import type { Scoring } from './scoring.js';
import { newSubject } from './subject.js';
import type { TestBed } from './test-bed.js';

/** What holds for resources of every kind: one unit, whatever is repeated, late or out of order. */
export function lifecycleChecks(kind: UnitKind, bed: () => TestBed, { check }: Pick<Scoring, 'check'>): void {
  check('creates exactly one unit, which list shows', async () => {
    const subject = newSubject(kind, bed());
    const { infrastructureId } = await subject.create(bed().context(), 1);
    expect(await subject.units()).toEqual([
      expect.objectContaining({ infrastructureId, kind, resourceId: subject.id, generation: 1, state: 'running' }),
    ]);
    await subject.delete(bed().context(), 1);
    expect(await subject.units()).toEqual([]);
  });

  check('adopts what a repeated create finds', async () => {
    const subject = newSubject(kind, bed());
    const first = await subject.create(bed().context(), 1);
    const second = await subject.create(bed().context(), 1);
    expect(second).toEqual(first);
    expect(await subject.units()).toHaveLength(1);
    await subject.delete(bed().context(), 1);
  });

  check('deletes what is gone, and what never was', async () => {
    const subject = newSubject(kind, bed());
    await subject.delete(bed().context(), 1);
    await subject.create(bed().context(), 1);
    await subject.delete(bed().context(), 1);
    await subject.delete(bed().context(), 1);
    expect(await subject.units()).toEqual([]);
  });

  check('makes one unit for two creates at once', async () => {
    const subject = newSubject(kind, bed());
    await Promise.allSettled([subject.create(bed().context(), 1), subject.create(bed().context(), 1)]);
    await subject.create(bed().context(), 1);
    expect(await subject.units()).toHaveLength(1);
    await subject.delete(bed().context(), 1);
  });

  check('converges when delete overtakes create', async () => {
    const subject = newSubject(kind, bed());
    await Promise.allSettled([subject.create(bed().context(), 1), subject.delete(bed().context(), 1)]);
    await subject.delete(bed().context(), 1);
    expect(await subject.units()).toEqual([]);
  });

  check('removes lower generations before it creates', async () => {
    const subject = newSubject(kind, bed());
    const first = await subject.create(bed().context(), 1);
    const second = await subject.create(bed().context({ generation: 2 }), 2);
    expect(second.infrastructureId).not.toBe(first.infrastructureId);
    expect(await subject.units()).toEqual([expect.objectContaining({ generation: 2 })]);
    await subject.delete(bed().context({ generation: 2 }), 2);
    expect(await subject.units()).toEqual([]);
  });

  check('never touches a higher generation', async () => {
    const subject = newSubject(kind, bed());
    const { infrastructureId } = await subject.create(bed().context({ generation: 2 }), 2);
    const successor = expect.objectContaining({ infrastructureId, generation: 2, state: 'running' });
    await subject.delete(bed().context(), 1);
    expect(await subject.units()).toEqual([successor]);
    await Promise.allSettled([subject.create(bed().context(), 1)]);
    expect(await subject.units()).toContainEqual(successor);
    await subject.delete(bed().context({ generation: 2 }), 2);
    expect(await subject.units()).toEqual([]);
  });

  check('removes one unit by its infrastructure id, twice', async () => {
    const subject = newSubject(kind, bed());
    await subject.create(bed().context(), 1);
    for (const unit of await subject.units()) {
      await bed().driver.remove(bed().context(), unit);
      await bed().driver.remove(bed().context(), unit);
    }
    expect(await subject.units()).toEqual([]);
  });
}
