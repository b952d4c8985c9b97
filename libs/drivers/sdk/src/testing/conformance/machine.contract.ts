import type { Machine, MachineLifecycle, NodeSpec } from '../../driver.js';
import { referenceTo } from '../spec-builders.js';
import type { RegisterCheck } from './conformance-score.js';
import type { TestBed } from './test-bed.js';

/** Registers the checks of machines that exist. `machine` returns one on which nothing of this installation is. */
export function machineChecks(machine: () => Promise<Machine>, bed: () => TestBed, check: RegisterCheck): void {
  const machines = (): MachineLifecycle => {
    const { driver } = bed();
    if (!driver.machines) throw new Error('this driver does not support machines');
    return driver.machines;
  };
  const examine = async (given: Machine) => machines().probe(bed().context(), { ...given, generation: 1 });
  const clean = async (given: Machine) => machines().clean(bed().context(), { ...given, generation: 2 });

  /** A driver may refuse nodes of both kinds in one cluster: the node on the machine has a cluster of its own. */
  const inCluster = async (given: Machine, work: (spec: NodeSpec) => Promise<void>) => {
    const { driver, fixture } = bed();
    const cluster = fixture.clusterSpec();
    await driver.cluster.create(bed().context(), cluster);
    await work(fixture.nodeSpec({ cluster, role: 'manager', ordinal: 0, generation: 1, machine: given }));
    await driver.cluster.delete(bed().context(), referenceTo(cluster));
  };

  check('examines an engine without changing it', async () => {
    const given = await machine();
    const seen = await examine(given);
    expect(seen.engineId).toMatch(/^\S.{0,254}$/);
    expect(seen.capacity.cpus).toBeGreaterThan(0);
    expect(seen.capacity.memoryMb).toBeGreaterThan(0);
    expect(await examine(given)).toEqual(seen);
    expect(await clean(given)).toEqual(seen.contents);
  });

  check('makes a node of a machine once, and leaves the engine as it was', async () => {
    const { driver } = bed();
    const context = () => bed().context();
    const given = await machine();
    const { contents } = await examine(given);
    await inCluster(given, async spec => {
      const { infrastructureId } = await driver.node.create(context(), spec);
      expect(await driver.node.create(context(), spec)).toMatchObject({ infrastructureId });
      expect(await bed().units('node', spec.id)).toHaveLength(1);
      await driver.node.delete(context(), { ...referenceTo(spec), machine: given });
      expect(await bed().units('node', spec.id)).toEqual([]);
      for (let twice = 0; twice < 2; twice++) expect(await clean(given)).toEqual(contents);
    });
  });

  check('removes with a cleaning what a node left that was never deleted', async () => {
    const given = await machine();
    const { contents } = await examine(given);
    await inCluster(given, async spec => {
      await bed().driver.node.create(bed().context(), spec);
      expect(await clean(given)).toEqual(contents);
      expect(await bed().units('node', spec.id)).toEqual([]);
      expect(await examine(given)).toMatchObject({ contents });
    });
  });
}
