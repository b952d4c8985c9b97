import { ClusterNetworks } from '@stave/docker';
import type { DriverContext } from '@stave/driver-sdk';
import { aDriverContext, silentLogger } from '@stave/driver-sdk/testing';
import { ControlPlanes } from '../control-planes.js';
import { Inventory, type NodeContainer, type NodeFilter } from '../inventory.js';
import { NodeMachine } from '../node-machine.js';
import { ClusterPeers } from './cluster-peers.js';
import { freeAddress, sharesAddress } from './machine-node-maker.js';

const subnet = '10.144.4.0/22';

function node(id: string, overrides: Partial<NodeContainer> = {}): NodeContainer {
  const number = Number(id.slice(1));
  return {
    containerId: id,
    nodeId: id,
    clusterId: 'c1',
    role: id.startsWith('m') ? 'manager' : 'worker',
    address: `10.144.4.${number + 10}`,
    publicAddress: `192.0.2.${number}`,
    state: 'running',
    machine: { id: `rack-${id}`, engine: { url: 'tcp://x:1' }, engineId: id },
    ...overrides,
  } as NodeContainer;
}

/** Nodes on machines that keep what is written to them. */
class Nodes {
  now = 0;
  readonly ctx = aDriverContext({ log: silentLogger, now: () => this.now });
  readonly files = new Map<string, string>();
  readonly applied = new Map<string, string>();
  /** The nodes whose script fails. */
  readonly broken = new Set<string>();
  writes = 0;
  /** The requests to nodes that read something, in order. */
  reads: string[] = [];
  outcomes: Readonly<Record<string, string>> = { m1: 'ready', m2: 'ready' };
  /** What happens after the first list was read. */
  meanwhile: (() => void) | undefined;

  constructor(public present: readonly NodeContainer[]) {}

  /** Returns the nodes of which something is read to repair what they know. */
  async readForRepair(peers: ClusterPeers): Promise<string[]> {
    this.reads = [];
    await peers.repair(this.ctx, this.present);
    return [...new Set(this.reads)].sort();
  }

  get peers(): ClusterPeers {
    const stub = <T extends object>(of: { readonly prototype: T }, members: object): T =>
      Object.assign(Object.create(of.prototype) as T, members);
    const inventory = stub(Inventory, {
      nodes: (_ctx: DriverContext, { clusterId }: NodeFilter) => {
        const now = this.present.filter(each => each.clusterId === clusterId);
        this.meanwhile?.();
        this.meanwhile = undefined;
        return Promise.resolve(now);
      },
    });
    const machineOf = ({ containerId: id }: NodeContainer) =>
      stub(NodeMachine, {
        read: () => {
          this.reads.push(id);
          return Promise.resolve(this.applied.get(id));
        },
        configure: (_ctx: DriverContext, { files }: { files: readonly { readonly content: string }[] }) => {
          this.writes += 1;
          return Promise.resolve(void this.files.set(id, files[0]?.content ?? ''));
        },
        run: () => {
          if (this.broken.has(id)) return Promise.resolve(1);
          this.applied.set(id, this.files.get(id) ?? '');
          return Promise.resolve(0);
        },
      });
    const outcomeOf = (_ctx: DriverContext, { nodeId }: NodeContainer) => {
      this.reads.push(nodeId);
      return Promise.resolve(this.outcomes[nodeId]);
    };
    const networks = stub(ClusterNetworks, {
      ofCluster: () => Promise.resolve([{ IPAM: { Config: [{ Subnet: subnet }] } }]),
    });
    return new ClusterPeers(networks, inventory, stub(ControlPlanes, { machineOf, outcomeOf }));
  }

  /** Returns the machines of the peers that a node knows. */
  knownTo(id: string): string[] {
    return [...(this.applied.get(id) ?? '').matchAll(/^# peer \S+ \S+ (\S+)$/gm)].map(match => match[1] ?? '');
  }

  /** Returns the control planes that answer a node for the API. */
  apiOf(id: string): string[] {
    return [...(this.applied.get(id) ?? '').matchAll(/--to-destination ([\d.]+):/g)].map(match => match[1] ?? '');
  }
}

describe('nodes on machines', () => {
  it('know each other and their control planes', async () => {
    const nodes = new Nodes([node('m1'), node('w2'), node('w3')]);
    await nodes.peers.spread(nodes.ctx, 'c1');
    expect(nodes.knownTo('m1')).toEqual(['192.0.2.2', '192.0.2.3']);
    expect(nodes.knownTo('w3')).toEqual(['192.0.2.1', '192.0.2.2']);
    expect(nodes.apiOf('w2')).toEqual(['10.144.4.11']);
  });

  it('learn of a node that was recorded while they were written to', async () => {
    const nodes = new Nodes([node('m1'), node('w2')]);
    nodes.meanwhile = () => void (nodes.present = [...nodes.present, node('w3', { state: 'created' })]);
    await nodes.peers.spread(nodes.ctx, 'c1');
    expect(nodes.knownTo('w2')).toEqual(['192.0.2.1', '192.0.2.3']);
    expect(nodes.knownTo('w3')).toEqual([]);
  });

  it('are not written to while they know everything', async () => {
    const nodes = new Nodes([node('m1'), node('w2')]);
    await nodes.peers.spread(nodes.ctx, 'c1');
    const before = nodes.writes;
    await nodes.peers.spread(nodes.ctx, 'c1');
    await nodes.peers.repair(nodes.ctx, nodes.present);
    expect(nodes.writes).toBe(before);
  });

  it('are asked again only where something changed, and every few minutes', async () => {
    const other = (id: string) => node(id, { clusterId: 'c2' });
    const nodes = new Nodes([node('m1'), node('w2'), other('m3'), other('w4')]);
    const { peers } = nodes;
    nodes.outcomes = { m1: 'ready' };
    expect(await nodes.readForRepair(peers)).toEqual(['m1', 'm3', 'w2', 'w4']);
    expect(await nodes.readForRepair(peers)).toEqual(['m3', 'w4']);
    nodes.outcomes = { m1: 'ready', m3: 'ready' };
    await nodes.readForRepair(peers);
    expect(await nodes.readForRepair(peers)).toEqual([]);
    nodes.present = [...nodes.present, other('w5')];
    expect(await nodes.readForRepair(peers)).toEqual(['m3', 'w4', 'w5']);
    expect(await nodes.readForRepair(peers)).toEqual([]);
    nodes.broken.add('w2');
    nodes.applied.delete('w2');
    await peers.spread(nodes.ctx, 'c1');
    expect(await nodes.readForRepair(peers)).toEqual(['m1', 'w2']);
    nodes.broken.clear();
    expect(await nodes.readForRepair(peers)).toEqual(['m1', 'w2']);
    expect(await nodes.readForRepair(peers)).toEqual([]);
    nodes.now += 600_000;
    expect(await nodes.readForRepair(peers)).toEqual(['m1', 'm3', 'w2', 'w4', 'w5']);
  });

  it('that missed a change learn it later, and keep no other from learning it', async () => {
    const nodes = new Nodes([node('m1'), node('w2'), node('w3')]);
    nodes.broken.add('w2');
    await nodes.peers.spread(nodes.ctx, 'c1');
    expect([nodes.knownTo('w2'), nodes.knownTo('w3')]).toEqual([[], ['192.0.2.1', '192.0.2.2']]);
    nodes.broken.clear();
    await nodes.peers.repair(nodes.ctx, nodes.present);
    expect(nodes.knownTo('w2')).toEqual(['192.0.2.1', '192.0.2.3']);
  });

  it('ask the control planes that are ready, and none that does not answer', async () => {
    const nodes = new Nodes([node('m1'), node('m2'), node('m4'), node('w3')]);
    await nodes.peers.spread(nodes.ctx, 'c1');
    expect(nodes.apiOf('w3')).toEqual(['10.144.4.11', '10.144.4.12']);
    nodes.present = [node('m1', { state: 'unreachable' }), ...nodes.present.slice(1)];
    await nodes.peers.repair(nodes.ctx, nodes.present);
    expect(nodes.apiOf('w3')).toEqual(['10.144.4.12']);
    nodes.present = [node('m1', { state: 'unreachable' }), node('m2', { state: 'unreachable' }), node('w3')];
    await nodes.peers.repair(nodes.ctx, nodes.present);
    expect(nodes.apiOf('w3')).toEqual(['10.144.4.11', '10.144.4.12']);
  });

  it('ask themselves while they make the cluster', async () => {
    const nodes = new Nodes([node('m4')]);
    await nodes.peers.spread(nodes.ctx, 'c1');
    expect(nodes.apiOf('m4')).toEqual(['10.144.4.14']);
  });

  it('start with what they have to know', async () => {
    const nodes = new Nodes([node('m1'), node('w2', { state: 'created' })]);
    const base = { files: [], units: [] };
    const { files } = await nodes.peers.withOverlay(nodes.ctx, node('w2'), base);
    expect(files.find(({ path }) => path === '/etc/stave/peers')?.content).toContain('192.0.2.1');
  });
});

describe('the address of a node on a machine', () => {
  it('is that of no other node, and not that of the API', () => {
    const taken = Array.from({ length: 4 }, (_, at) => ({ nodeId: `n${at}`, address: `10.9.0.${at + 2}` }));
    expect(freeAddress('10.9.0.0/29', 'n9', taken)).toBe('10.9.0.6');
    expect(() => freeAddress('10.9.0.0/29', 'n9', [...taken, { nodeId: 'n5', address: '10.9.0.6' }])).toThrow('in use');
    expect(freeAddress('10.9.0.0/29', 'n3', taken)).not.toBe('10.9.0.1');
  });

  it('is shared only with other nodes', () => {
    const nodes = [{ nodeId: 'n1', address: '10.9.0.2' }];
    expect(sharesAddress(nodes, { nodeId: 'n1', address: '10.9.0.2' })).toBe(false);
    expect(sharesAddress(nodes, { nodeId: 'n2', address: '10.9.0.2' })).toBe(true);
    expect(sharesAddress(nodes, { nodeId: 'n2', address: '10.9.0.3' })).toBe(false);
  });
});
