import type { DriverContext, Unit, UnitKind } from '../../driver.js';
import { referenceTo } from '../spec-builders.js';
import type { TestBed } from './test-bed.js';

/** A resource of any kind, so that checks that hold for all kinds are written once. */
export interface ResourceUnderTest {
  readonly kind: UnitKind;
  readonly id: string;
  create(ctx: DriverContext, generation: number): Promise<{ readonly infrastructureId: string }>;
  delete(ctx: DriverContext, generation: number): Promise<void>;
  units(): Promise<readonly Unit[]>;
}

/** Returns a resource of this kind that does not exist yet. */
export function newResource(kind: UnitKind, bed: TestBed): ResourceUnderTest {
  switch (kind) {
    case 'cluster':
      return newCluster(bed);
    case 'node':
      return newNode(bed);
    case 'container':
      return newContainer(bed);
    case 'network':
      return newNetwork(bed);
    case 'volume':
      return newVolume(bed);
  }
}

function newCluster(bed: TestBed): ResourceUnderTest {
  const spec = bed.fixture.clusterSpec();
  const { cluster } = bed.driver;
  return {
    kind: 'cluster',
    id: spec.id,
    create: (ctx, generation) => cluster.create(ctx, { ...spec, generation }),
    delete: (ctx, generation) => cluster.delete(ctx, { ...referenceTo(spec, generation), options: {} }),
    units: () => bed.units('cluster', spec.id),
  };
}

function newNode(bed: TestBed): ResourceUnderTest {
  const spec = bed.worker();
  const { node } = bed.driver;
  return {
    kind: 'node',
    id: spec.id,
    create: (ctx, generation) =>
      generation > 1 ? node.rebuild(ctx, { ...spec, generation }) : node.create(ctx, { ...spec, generation }),
    delete: (ctx, generation) => node.delete(ctx, { ...referenceTo(spec, generation), options: {} }),
    units: () => bed.units('node', spec.id),
  };
}

function newContainer(bed: TestBed): ResourceUnderTest {
  const spec = bed.container();
  return {
    kind: 'container',
    id: spec.id,
    create: async (ctx, generation) => bed.containers.create(ctx, { ...spec, generation }),
    delete: (ctx, generation) => bed.containers.delete(ctx, referenceTo(spec, generation)),
    units: () => bed.units('container', spec.id),
  };
}

function newNetwork(bed: TestBed): ResourceUnderTest {
  const spec = bed.network();
  return {
    kind: 'network',
    id: spec.id,
    create: async (ctx, generation) => bed.networks.create(ctx, { ...spec, generation }),
    delete: (ctx, generation) => bed.networks.delete(ctx, referenceTo(spec, generation)),
    units: () => bed.units('network', spec.id),
  };
}

function newVolume(bed: TestBed): ResourceUnderTest {
  const spec = bed.volume();
  return {
    kind: 'volume',
    id: spec.id,
    create: async (ctx, generation) => bed.volumes.create(ctx, { ...spec, generation }),
    delete: (ctx, generation) => bed.volumes.delete(ctx, referenceTo(spec, generation)),
    units: () => bed.units('volume', spec.id),
  };
}
