import type { NodeGroupInput } from '@stave/domain';
import { driverProblems } from './driver-problems.js';

describe('what a driver asks of a cluster', () => {
  const manifest = { minimumFlavor: { memoryMb: 128, cpus: 0.1 } };
  const worker = (flavor?: NodeGroupInput['flavor']): NodeGroupInput => ({
    role: 'worker',
    ...(flavor ? { flavor } : {}),
  });

  it('names each flavor below its minimum where it was given', () => {
    const nodeGroups = [worker(), worker({ cpus: 1, memoryMb: 128 }), worker({ cpus: 0.05, memoryMb: 64 })];
    const problems = driverProblems(manifest, { nodeGroups, defaults: { flavor: { cpus: 1, memoryMb: 127 } } });
    expect(problems.map(({ pointer, code }) => [pointer, code])).toEqual([
      ['/defaults/flavor/memoryMb', 'below-minimum-flavor'],
      ['/nodeGroups/2/flavor/cpus', 'below-minimum-flavor'],
      ['/nodeGroups/2/flavor/memoryMb', 'below-minimum-flavor'],
    ]);
    expect(problems[2]?.detail).toBe("the driver's nodes need at least 128 memoryMb, not 64");
  });

  it('asks nothing of flavors where its manifest says nothing', () => {
    expect(driverProblems({}, { nodeGroups: [worker({ cpus: 0.01, memoryMb: 1 })] })).toEqual([]);
  });
});
