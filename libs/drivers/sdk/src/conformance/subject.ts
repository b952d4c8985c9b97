import type { DriverContext, ResourceRef, Unit, UnitKind } from '../driver.js';
import type { TestBed } from './test-bed.js';

/** One resource of any kind, so that what holds for all kinds is written once. */
export interface Subject {
  readonly kind: UnitKind;
  readonly id: string;
  create(ctx: DriverContext, generation: number): Promise<{ readonly infrastructureId: string }>;
  delete(ctx: DriverContext, generation: number): Promise<void>;
  units(): Promise<readonly Unit[]>;
}

/** A resource that does not exist yet. `bed` may be built later, as the checks are registered before. */
export function newSubject(kind: UnitKind, bed: TestBed): Subject {
  switch (kind) {
    case 'cluster':
      return clusterSubject(bed);
    case 'node':
      return nodeSubject(bed);
    case 'container':
      return containerSubject(bed);
  }
}

function clusterSubject(bed: TestBed): Subject {
  const spec = bed.fixture.clusterSpec();
  return {
    kind: 'cluster',
    id: spec.id,
    create: (ctx, generation) => bed.driver.cluster.create(ctx, { ...spec, generation }),
    delete: (ctx, generation) => bed.driver.cluster.delete(ctx, referenceTo(spec.id, spec.id, generation)),
    units: () => bed.units('cluster', spec.id),
  };
}

function nodeSubject(bed: TestBed): Subject {
  const spec = bed.worker();
  return {
    kind: 'node',
    id: spec.id,
    create: (ctx, generation) =>
      generation > 1
        ? bed.driver.node.rebuild(ctx, { ...spec, generation })
        : bed.driver.node.create(ctx, { ...spec, generation }),
    delete: (ctx, generation) => bed.driver.node.delete(ctx, referenceTo(spec.id, bed.cluster.id, generation)),
    units: () => bed.units('node', spec.id),
  };
}

function containerSubject(bed: TestBed): Subject {
  const spec = bed.container();
  const { nodeId } = spec;
  return {
    kind: 'container',
    id: spec.id,
    create: async (ctx, generation) => containersOf(bed).create(ctx, { ...spec, generation }),
    delete: (ctx, generation) =>
      containersOf(bed).delete(ctx, { ...referenceTo(spec.id, bed.cluster.id, generation), nodeId }),
    units: () => bed.units('container', spec.id),
  };
}

/** The container operations of a driver that has them. */
export function containersOf(bed: TestBed) {
  if (!bed.driver.containers) throw new Error('this driver runs no containers');
  return bed.driver.containers;
}

export function referenceTo(id: string, clusterId: string, generation = 1): ResourceRef {
  return { id, clusterId, generation, options: {} };
}
