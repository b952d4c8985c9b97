import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@stave/testing';

interface Manifest {
  readonly engine: string;
  readonly operations?: readonly { readonly name: string }[];
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(repositoryRoot(), 'libs', 'drivers', folder, 'driver.manifest.json'), 'utf8'));

describe('the manifests of drivers of one engine', () => {
  it.each([
    ['k8s-docker', ['k8s-fedora', 'k8s-coreos'], ['pods', 'nodes', 'events', 'logs', 'apply']],
    ['swarm-docker', ['swarm-fedora'], ['services', 'nodes']],
  ])('declare the operations of %s alike', (folder, others, names) => {
    const { engine, operations = [] } = manifestOf(folder);
    expect(operations.map(({ name }) => name).sort()).toEqual([...names].sort());
    // on OpenStack an operation asks Heat first
    const slower = operations.map(operation => ({ deadlineSeconds: 20, ...operation }));
    for (const other of others) expect(manifestOf(other)).toMatchObject({ engine, operations: slower });
  });
});
