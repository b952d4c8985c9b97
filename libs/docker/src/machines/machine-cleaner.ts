import type { DriverContext, Machine, MachineContents } from '@stave/driver-sdk';
import type { DockerEngine } from '../docker-engine.js';
import { undefinedOn, undefinedOnFailure } from '../engine-error.js';
import type { NetworkSummary } from '../engine-types.js';
import { label, labelled } from '../labels.js';
import { pollUntil } from '../poll-until.js';
import { contentsOf, imagesOn } from './machine-contents.js';
import { reached, type MachineEngines } from './machine-engines.js';
import { markName, readMark, type Mark } from './machine-mark.js';
import { unsuitable } from './machine-url.js';

const leaveTimeoutMs = 30_000;
const ingressCompleteAfterMs = 8_000;
/** The network that an engine makes when it joins a Swarm, and keeps when it leaves. */
const bridgeOfSwarm = 'docker_gwbridge';

/** Removes from the engines of machines what nodes of this installation left. Each step can be repeated. */
export class MachineCleaner {
  constructor(
    private readonly engines: MachineEngines,
    private readonly installation: string,
  ) {}

  /**
   * Cleans the engine and returns what is there. Without the mark of this installation nothing is removed. `nodeId`: what another node has
   * there is left alone. Throws `engine-unreachable`, and `engine-changed` where another engine answers.
   */
  async clean(ctx: DriverContext, machine: Machine, nodeId?: string): Promise<MachineContents> {
    const { ID: engineId } = await this.engines.info(ctx, machine);
    const engine = this.engines.known({ ...machine, engineId });
    return reached(async () => {
      const mark = await readMark(ctx, engine);
      if (mark && mark.installation !== this.installation)
        throw unsuitable(`the engine belongs to a node of another installation: ${mark.nodeId}`);
      if (mark && (nodeId === undefined || mark.nodeId === nodeId)) await this.remove(ctx, engine, mark);
      return contentsOf(ctx, engine);
    });
  }

  private async remove(ctx: DriverContext, engine: DockerEngine, mark: Mark): Promise<void> {
    ctx.progress('remove containers');
    for (const one of await this.named(mark, labels => engine.containers(ctx, labels)))
      await engine.removeContainer(ctx, one.Id);
    await leave(ctx, engine);
    ctx.progress('remove networks and volumes');
    await this.removeNetworks(ctx, engine, mark);
    for (const { Name } of await this.named(mark, labels => engine.volumes(ctx, labels)))
      if (Name !== markName) await engine.removeVolume(ctx, Name);
    ctx.progress('remove images');
    const before = new Set(mark.before.images);
    for (const id of await imagesOn(ctx, engine))
      if (!before.has(id)) {
        const options = { query: { force: true }, timeoutMs: leaveTimeoutMs };
        await undefinedOn([404, 409], engine.change(ctx, 'DELETE', `/images/${id}`, options));
      }
    await engine.removeVolume(ctx, markName);
  }

  /** Lists what has the labels of this installation, and what earlier releases labelled with the cluster only. */
  private async named<T>(
    { clusterId }: Mark,
    list: (labels: Readonly<Record<string, string>>) => Promise<readonly T[]>,
  ): Promise<readonly T[]> {
    const own = await list(labelled({ installation: this.installation }));
    return clusterId === '' ? own : [...own, ...(await list({ [label.cluster]: clusterId }))];
  }

  private async removeNetworks(ctx: DriverContext, engine: DockerEngine, mark: Mark): Promise<void> {
    const own = await this.named(mark, labels => engine.networks(ctx, labels));
    const all = await engine.read<readonly NetworkSummary[]>(ctx, '/networks');
    const kept = new Set(mark.before.networks);
    const ofSwarm = all.filter(({ Name }) => Name === bridgeOfSwarm && !kept.has(Name));
    for (const { Id, Scope } of [...own, ...ofSwarm])
      if (Scope !== 'swarm') await undefinedOn([404], engine.change(ctx, 'DELETE', `/networks/${Id}`));
  }
}

/** Makes the engine leave its Swarm, and waits until it has forgotten the networks of that. */
async function leave(ctx: DriverContext, engine: DockerEngine): Promise<void> {
  const { Swarm } = await engine.info(ctx);
  if (Swarm.LocalNodeState !== 'inactive') {
    ctx.progress('leave the Swarm');
    await ingressComplete(ctx, engine);
    const options = { query: { force: true }, timeoutMs: leaveTimeoutMs };
    await undefinedOn([503], engine.change(ctx, 'POST', '/swarm/leave', options));
  }
  await pollUntil(ctx, { what: 'end of the networks of the Swarm', withinMs: leaveTimeoutMs }, async () => {
    const networks = await engine.read<readonly NetworkSummary[]>(ctx, '/networks');
    return networks.some(({ Scope }) => Scope === 'swarm') ? undefined : true;
  });
}

/**
 * Waits until the engine has completed the network `ingress` of its Swarm: an engine that leaves meanwhile keeps that network until it is
 * restarted. It does not report when it is complete, so that the age counts. A Swarm without a leader may never have it.
 */
async function ingressComplete(ctx: DriverContext, engine: DockerEngine): Promise<void> {
  const complete = async (): Promise<true | undefined> => {
    const ingress = await undefinedOn([404], engine.read<NetworkSummary>(ctx, '/networks/ingress'));
    const { SystemTime = '' } = await engine.info(ctx);
    const ageMs = Date.parse(SystemTime) - Date.parse(ingress?.Created ?? '');
    return ageMs >= ingressCompleteAfterMs ? true : undefined;
  };
  const options = { what: 'network ingress of the Swarm', withinMs: 3 * ingressCompleteAfterMs, everyMs: 500 };
  await undefinedOnFailure(ctx, () => pollUntil(ctx, options, complete));
}
