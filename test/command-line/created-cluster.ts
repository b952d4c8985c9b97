import { uniqueName } from '@stave/testing';
import type { StaveCommand } from './stave-command.js';

const group = ['role=worker', 'name=workers', 'flavor.cpus=2', 'flavor.memoryMb=4096'];

/** The command that creates a cluster with one group of this size. `more` are members to set. */
export const creation = (name: string, count: number, ...more: string[]): string[] => [
  'clusters',
  'create',
  name,
  ...['driver=fake', ...[...group, `count=${count}`].map(member => `nodeGroups.0.${member}`), ...more].flatMap(
    member => ['--set', member],
  ),
];

/** Creates a cluster, waits for it and returns its name. */
export async function createCluster(stave: StaveCommand, count = 2, ...more: string[]): Promise<string> {
  const name = uniqueName('cli');
  const { code, err } = await stave.run([...creation(name, count, ...more), '--wait']);
  if (code !== 0) throw new Error(`the cluster was not created: ${err}`);
  return name;
}
