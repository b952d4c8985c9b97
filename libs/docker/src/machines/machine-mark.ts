import { DriverError, type DriverContext } from '@stave/driver-sdk';
import type { DockerEngine } from '../docker-engine.js';
import type { NetworkSummary, VolumeSummary } from '../engine-types.js';
import { label, labelled } from '../labels.js';
import { imagesOn } from './machine-contents.js';

/** The volume on the engine of a machine that says whose node it is, and what was there before it. */
export const markName = 'stave-machine';

export interface Mark {
  readonly installation: string;
  readonly nodeId: string;
  readonly clusterId: string;
  readonly before: { readonly images: readonly string[]; readonly networks: readonly string[] };
}

export async function readMark(ctx: DriverContext, engine: DockerEngine): Promise<Mark | undefined> {
  const volume = await engine.volume(ctx, markName);
  return volume && markIn(volume);
}

/**
 * Marks the engine as that of the node, before anything else on it is changed. The engine gives each name once, so that of two installations
 * one gets the machine. Throws `transient` while the engine belongs to another node.
 */
export async function setMark(
  ctx: DriverContext,
  engine: DockerEngine,
  { installation, nodeId, clusterId }: Omit<Mark, 'before'>,
): Promise<void> {
  const [images, networks] = await Promise.all([
    imagesOn(ctx, engine),
    engine.read<readonly NetworkSummary[]>(ctx, '/networks'),
  ]);
  const before = JSON.stringify({ images, networks: networks.map(({ Name }) => Name) });
  const labels = labelled({ installation, unit: 'machine', node: nodeId, cluster: clusterId, before });
  const found = markIn(await engine.createVolume(ctx, markName, labels));
  if (found.installation === installation && found.nodeId === nodeId) return;
  const owner = found.installation === installation ? 'this installation' : 'another installation';
  const message = `the engine belongs to a node of ${owner}, until it is cleaned: ${found.nodeId}`;
  throw new DriverError('transient', message, { code: 'engine-taken' });
}

function markIn({ Labels }: VolumeSummary): Mark {
  const labels = Labels ?? {};
  return {
    installation: labels[label.installation] ?? '',
    nodeId: labels[label.node] ?? '',
    clusterId: labels[label.cluster] ?? '',
    before: beforeIn(labels[label.before]),
  };
}

function beforeIn(text: string | undefined): Mark['before'] {
  const { images = [], networks = [] } = JSON.parse(text ?? '{}') as Partial<Mark['before']>;
  return { images, networks };
}
