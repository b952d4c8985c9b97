import type { DriverContext, MachineContents } from '@stave/driver-sdk';
import type { DockerEngine } from '../docker-engine.js';
import type { ContainerSummary, EngineInfo, ImageSummary, NetworkSummary } from '../engine-types.js';

const timeoutMs = 20_000;
const shortDigest = 'sha256:'.length + 12;

/** Lists what is on the engine of a machine. A container without a name of its own does not exist: the engine gives it one. */
export async function contentsOf(ctx: DriverContext, engine: DockerEngine): Promise<MachineContents> {
  const [containers, volumes, networks, images, { Swarm }] = await Promise.all([
    engine.read<ContainerSummary[]>(ctx, '/containers/json', { query: { all: true }, timeoutMs }),
    engine.volumes(ctx, {}),
    engine.read<NetworkSummary[]>(ctx, '/networks', { timeoutMs }),
    imagesOn(ctx, engine),
    engine.info(ctx, timeoutMs) as Promise<EngineInfo>,
  ]);
  const ofImages = images.map(id => [`image ${id.slice(0, shortDigest)}`, 'present'] as const);
  return {
    containers: containers.map(({ Names, Id }) => (Names[0] ?? Id).replace(/^\//, '')).sort(),
    volumes: volumes.map(({ Name }) => Name).sort(),
    networks: networks.map(({ Name }) => Name).sort(),
    state: { swarm: Swarm.LocalNodeState, ...Object.fromEntries(ofImages.sort()) },
  };
}

/** Returns the ids of the images of an engine. */
export async function imagesOn(ctx: DriverContext, engine: DockerEngine): Promise<readonly string[]> {
  return (await engine.read<ImageSummary[]>(ctx, '/images/json', { timeoutMs })).map(({ Id }) => Id);
}
