import type { DomainEvent, NodeView } from '@stave/domain';
import { EmbeddedEventStore, type RecordedEvent } from '@stave/platform';
import { PolicyProjection, type EventFeed } from '@stave/service-kit';
import { clusterCreated, groupSpec, PROJECT, taskDone } from '@stave/service-kit/testing';
import fc from 'fast-check';
import type { ClusterDrivers } from '../scheduling/cluster-drivers.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { ClusterChanges } from '../scheduling/snapshot-changes.js';
import { ClusterSnapshot, ClusterSnapshots } from './cluster-snapshots.js';

const CLUSTER = 'k';
const NODES = ['n0', 'n1', 'n2'];
const CONTAINERS = ['c0', 'c1', 'c2', 'c3', 'c4'];

type Handler = (event: RecordedEvent) => void;

/** The projections of one scheduler, fed by the test. */
class Fed {
  private readonly handlers = new Map<string, Handler[]>();
  private readonly revisions = new Map<string, number>();
  private position = 0;

  constructor(
    readonly projection: SchedulerProjection,
    readonly policies: PolicyProjection,
  ) {
    const feed = { on: (category: string, handler: Handler) => this.on(category, handler) } as EventFeed;
    projection.follow(feed, () => undefined);
    policies.follow(feed, () => undefined);
  }

  send(category: string, id: string, ...events: readonly DomainEvent[]): void {
    for (const { type, data } of events) {
      const stream = `${category}-${id}`;
      const revision = (this.revisions.get(stream) ?? -1) + 1;
      this.revisions.set(stream, revision);
      this.position += 1;
      const metadata = { schemaVersion: 1, time: '2026-01-01T00:00:00.000Z', correlationId: 'x', actor: 'test' };
      const event = { id: `e${this.position}`, type, data, metadata, stream, revision, position: this.position };
      for (const handle of this.handlers.get(category) ?? []) handle(event as unknown as RecordedEvent);
    }
  }

  private on(category: string, handler: Handler): void {
    this.handlers.set(category, [...(this.handlers.get(category) ?? []), handler]);
  }
}

const explanation = { scores: [], refusals: [], seed: 1, policy: 'default' };
const apart = { kind: 'apart', by: 'node', with: { labels: { app: 'a' } } };
const contents = { image: 'x', env: {}, resources: {}, volumes: [], ports: [], restartPolicy: 'no' };
const source = { profileId: 'p', profileRevision: 1, profile: { ...contents, labels: {} }, overrides: {} };
const strategy = {
  maxSurge: 1,
  maxUnavailable: 0,
  minReadySeconds: 0,
  progressDeadlineSeconds: 600,
  onFailure: 'pause',
};
const spec = {
  desired: 3,
  min: 0,
  updateStrategy: strategy,
  backoff: { baseSeconds: 1, maxSeconds: 2, resetAfterSeconds: 3 },
};
const operation = { id: 'o', kind: 'x', total: 1 };

function begin(fed: Fed): void {
  fed.send('cluster', CLUSTER, clusterCreated({ id: CLUSTER }));
  const group = { id: 'g', clusterId: CLUSTER, projectId: PROJECT, name: 'g', spec: groupSpec(3), operationId: 'o' };
  fed.send('nodeGroup', 'g', { type: 'NodeGroupCreated', data: group });
  const members = NODES.map((id, ordinal) => ({ id, ordinal }));
  fed.send('nodeGroup', 'g', { type: 'NodesAdded', data: { nodes: members, reason: 'count', operationId: 'o' } });
  const set = { id: 's', name: 's', projectId: PROJECT, clusterId: CLUSTER, spec, source, operation };
  fed.send('containerSet', 's', { type: 'ContainerSetCreated', data: set });
  const added = CONTAINERS.slice(0, 3).map((id, ordinal) => ({ id, ordinal, revision: 1 }));
  fed.send('containerSet', 's', {
    type: 'MembersAdded',
    data: { members: added, reason: 'desired', operationId: 'o' },
  });
  CONTAINERS.forEach((id, i) => {
    const own = i < 3 ? { setId: 's', ordinal: i } : {};
    const declared = {
      id,
      name: id,
      projectId: PROJECT,
      profileId: 'p',
      clusterId: CLUSTER,
      hostCluster: CLUSTER,
      ...own,
    };
    fed.send('container', id, {
      type: 'ContainerCreated',
      data: { ...declared, contents: { ...contents, labels: { app: id }, ...(id === 'c4' && { affinity: [apart] }) } },
    });
  });
}

function declare(fed: Fed, id: string): void {
  const nodeSpec = {
    role: 'worker',
    flavor: { cpus: 4, memoryMb: 8000 },
    labels: { own: id },
    taints: [],
    options: {},
  };
  const place = { nodeGroupId: 'g', clusterId: CLUSTER, projectId: PROJECT, groupName: 'g', ordinal: 0 };
  fed.send('node', id, { type: 'NodeDeclared', data: { id, name: id, ...place, spec: nodeSpec, operationId: 'o' } });
}

const node = fc.constantFrom(...NODES);
const container = fc.constantFrom(...CONTAINERS);

type Step = (fed: Fed) => void;

/** Changes that can come in any order; those that cannot follow the present state are passed over. */
const step: fc.Arbitrary<Step> = fc.oneof(
  node.map((id): Step => fed => {
    if (!fed.projection.nodes.get(id)) declare(fed, id);
    else if (fed.projection.nodes.get(id)?.result) fed.send('node', id, { type: 'NodeCordoned', data: {} });
    else fed.send('node', id, ...taskDone(id, 'node.create'), { type: 'NodeBecameActive', data: { nodeGroupId: 'g' } });
  }),
  node.map((id): Step => fed => {
    if (fed.projection.nodes.get(id)) fed.send('node', id, { type: 'NodeUncordoned', data: {} });
  }),
  fc.tuple(container, node, fc.constantFrom(undefined, 80, 81)).map(([id, nodeId, port]): Step => fed => {
    if (fed.projection.placement.get(CLUSTER).ledger.reservations.has(id)) return;
    const attached = port && { ports: [{ containerPort: port, hostPort: port, protocol: 'tcp' }] };
    const placement = { containerId: id, nodeId, cpus: 0.5, memoryMb: 100, explanation, ...(attached && { attached }) };
    fed.send('placement', CLUSTER, { type: 'PlacementsReserved', data: { placements: [placement] } });
  }),
  container.map(
    (id): Step =>
      fed =>
        fed.send('placement', CLUSTER, { type: 'PlacementsReleased', data: { containerIds: [id] } }),
  ),
  container.map((containerId): Step => fed => {
    const data = { containerId, cpus: 1, memoryMb: 200 };
    fed.send('placement', CLUSTER, { type: 'PlacementResized', data });
  }),
  fc.tuple(node, fc.boolean()).map(
    ([nodeId, closes]): Step =>
      fed =>
        fed.send(
          'placement',
          CLUSTER,
          closes
            ? { type: 'PlacementNodeClosed', data: { nodeId, reason: 'x' } }
            : { type: 'PlacementNodeOpened', data: { nodeId } },
        ),
  ),
  fc.tuple(container, fc.constantFrom('a', 'b')).map(
    ([id, app]): Step =>
      fed =>
        fed.send('container', id, { type: 'ContainerUpdated', data: { labels: { app } } }),
  ),
  fc.constantFrom(...CONTAINERS.slice(0, 3)).map((id): Step => fed => {
    const data = { memberIds: [id], desired: 3, reason: 'x', operationId: 'o' };
    fed.send('containerSet', 's', { type: 'MemberRemovalAccepted', data });
  }),
  fc.constant<Step>(fed => {
    const from = fed.projection.sets.get('s')?.target ?? 1;
    const data = { kind: 'update', from, to: { ...source, revision: from + 1 }, operationId: 'o' };
    fed.send('containerSet', 's', { type: 'RolloutStarted', data });
  }),
  fc.constantFrom('x', 'y').map(
    (tier): Step =>
      fed =>
        fed.send('nodeGroup', 'g', {
          type: 'NodeGroupUpdated',
          data: { changes: { labels: { tier } }, operationId: 'o' },
        }),
  ),
);

/** What the views say, in an order that does not depend on the changes. */
const shown = ({ table }: ClusterSnapshot) =>
  [...table.views]
    .map(({ held = [], hostPorts = [], ...view }: NodeView) => ({
      ...view,
      hostPorts: hostPorts.map(({ port }) => port).sort(),
      held: held.map(entry => JSON.stringify(entry)).sort(),
    }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));

const kinds = ({ table }: ClusterSnapshot) =>
  [...table.contents.all()].map(({ key, count }) => `${key} ${[...count.values()].reduce((a, b) => a + b, 0)}`).sort();

it('a snapshot that is kept says what one does that is made from scratch', async () => {
  const store = await EmbeddedEventStore.open({ memory: true });
  const drivers = { driversOn: () => undefined } as unknown as ClusterDrivers;
  fc.assert(
    fc.property(fc.array(fc.array(step, { maxLength: 4 }), { maxLength: 12 }), batches => {
      const fed = new Fed(new SchedulerProjection(store), new PolicyProjection(store));
      begin(fed);
      const snapshots = new ClusterSnapshots(fed.projection, fed.policies, drivers);
      for (const batch of batches) {
        for (const change of batch) change(fed);
        const kept = snapshots.of(CLUSTER);
        const fresh = new ClusterSnapshot(CLUSTER, new ClusterChanges(), snapshots).update();
        expect(shown(kept)).toEqual(shown(fresh));
        expect(kinds(kept)).toEqual(kinds(fresh));
      }
    }),
    { numRuns: 150 },
  );
  await store.close();
});
