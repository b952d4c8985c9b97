import type { UnitKind } from '../../driver.js';
import type { RegisterCheck } from './conformance-score.js';
import { newResource } from './resource-under-test.js';
import type { TestBed } from './test-bed.js';

/** Registers the checks that hold for every kind of resource: one unit, although calls are repeated, late or out of order. */
export function lifecycleChecks(kind: UnitKind, bed: () => TestBed, check: RegisterCheck): void {
  check('creates exactly one unit, and lists it', async () => {
    const resource = newResource(kind, bed());
    const { infrastructureId } = await resource.create(bed().context(), 1);
    expect(await resource.units()).toEqual([
      expect.objectContaining({ infrastructureId, kind, resourceId: resource.id, generation: 1, state: 'running' }),
    ]);
    await resource.delete(bed().context(), 1);
    expect(await resource.units()).toEqual([]);
  });

  check('adopts the existing unit when a create is repeated', async () => {
    const resource = newResource(kind, bed());
    const first = await resource.create(bed().context(), 1);
    const second = await resource.create(bed().context(), 1);
    expect(second).toEqual(first);
    expect(await resource.units()).toHaveLength(1);
    await resource.delete(bed().context(), 1);
  });

  check('deletes a resource that does not exist without an error', async () => {
    const resource = newResource(kind, bed());
    await resource.delete(bed().context(), 1);
    await resource.create(bed().context(), 1);
    await resource.delete(bed().context(), 1);
    await resource.delete(bed().context(), 1);
    expect(await resource.units()).toEqual([]);
  });

  check('creates one unit when two creates run at the same time', async () => {
    const resource = newResource(kind, bed());
    await Promise.allSettled([resource.create(bed().context(), 1), resource.create(bed().context(), 1)]);
    await resource.create(bed().context(), 1);
    expect(await resource.units()).toHaveLength(1);
    await resource.delete(bed().context(), 1);
  });

  check('converges when a delete overtakes a create', async () => {
    const resource = newResource(kind, bed());
    await Promise.allSettled([resource.create(bed().context(), 1), resource.delete(bed().context(), 1)]);
    await resource.delete(bed().context(), 1);
    expect(await resource.units()).toEqual([]);
  });

  check('removes lower generations before it creates a unit', async () => {
    const resource = newResource(kind, bed());
    const first = await resource.create(bed().context(), 1);
    const second = await resource.create(bed().context({ generation: 2 }), 2);
    expect(second.infrastructureId).not.toBe(first.infrastructureId);
    expect(await resource.units()).toEqual([expect.objectContaining({ generation: 2 })]);
    await resource.delete(bed().context({ generation: 2 }), 2);
    expect(await resource.units()).toEqual([]);
  });

  check('never changes a unit of a higher generation', async () => {
    const resource = newResource(kind, bed());
    const { infrastructureId } = await resource.create(bed().context({ generation: 2 }), 2);
    const expected = expect.objectContaining({ infrastructureId, generation: 2, state: 'running' });
    await resource.delete(bed().context(), 1);
    expect(await resource.units()).toEqual([expected]);
    await Promise.allSettled([resource.create(bed().context(), 1)]);
    expect(await resource.units()).toContainEqual(expected);
    await resource.delete(bed().context({ generation: 2 }), 2);
    expect(await resource.units()).toEqual([]);
  });

  check('removes a unit by its infrastructure id, and succeeds when it is repeated', async () => {
    const resource = newResource(kind, bed());
    await resource.create(bed().context(), 1);
    for (const unit of await resource.units()) {
      await bed().driver.remove(bed().context(), unit);
      await bed().driver.remove(bed().context(), unit);
    }
    expect(await resource.units()).toEqual([]);
  });
}
