import { randomUUID } from 'node:crypto';
import type { CommandResult, Page, ResourceDocument } from '@stave/contracts';
import { eventVersions, Upcasters } from '@stave/domain';
import { eventually } from '@stave/platform/testing';
import { NewerEvents } from '@stave/service-kit';
import { PROJECT, type Replica } from '@stave/service-kit/testing';
import { createNodeGroupService } from './app.module.js';
import { NodeGroupHarness } from './nodegroup.fixture.js';

const refused = { error: { code: 'newer-release', kind: 'unavailable', retryAfterMs: 1_000 } };

describe('a replica that meets events of a newer release', () => {
  let harness: NodeGroupHarness;
  let newerEvents: NewerEvents;
  let fatal: unknown[];
  let replica: Replica;
  let clusterId: string;
  let groupId: string;

  beforeEach(async () => {
    newerEvents = new NewerEvents({ service: 'nodegroup-service' });
    fatal = [];
    harness = await NodeGroupHarness.open({}, { newerEvents, onFatal: error => fatal.push(error) });
    replica = await harness.replica();
    const created = await harness.cluster({ w: 2 });
    clusterId = created.id;
    groupId = created.groupIds[0] ?? '';
    await harness.workUntil(async () => (await group()).status === 'ACTIVE', 'the group is complete');
  });
  afterEach(async () => {
    await harness.close();
    expect(fatal).toEqual([]);
  });

  const group = (minPosition?: number): Promise<ResourceDocument> =>
    replica.ask('node-group', 'get', { id: groupId }, minPosition === undefined ? {} : { minPosition });
  const groups = async (): Promise<readonly ResourceDocument[]> =>
    (await replica.ask<Page>('node-group', 'list', { limit: 50, filter: {} })).items;
  const resize = (count: number): Promise<CommandResult> =>
    replica.ask('node-group', 'action', { id: groupId, action: 'resize', count });
  const claim = (): Promise<unknown> =>
    replica.ask('task', 'claim', { conductor: 'one', session: 'session-1', epoch: 0, max: 1, holdings: [] });

  /** Appends an event as a later release would; returns its position. */
  async function append(stream: string, type: string, schemaVersion: number, data: object = {}): Promise<number> {
    const after = (await harness.store.readStream(stream)).length - 1;
    const metadata = { schemaVersion, time: new Date().toISOString(), correlationId: randomUUID(), project: PROJECT };
    const event = { id: randomUUID(), type, data, metadata };
    return (await harness.store.append(stream, [event], after < 0 ? 'no_stream' : after)).position;
  }

  const operation = () => ({ id: `n-${randomUUID()}`, kind: 'nodeGroup.reboot', total: 2 });

  const found = (): Promise<unknown> =>
    eventually(() => Promise.resolve(newerEvents.found), 'the replica has met the event');

  it.each([
    ['a later version of a type that it folds', () => append(`nodeGroup-${groupId}`, 'NodeGroupResized', 2)],
    ['an unknown type in a stream that it decides on', () => append(`nodeGroup-${groupId}`, 'NodeGroupFrozen', 1)],
    ['a later version in a stream of another service', () => append(`cluster-${clusterId}`, 'ClusterPaused', 2)],
    ['a resource created in a later version', () => append(`nodeGroup-${randomUUID()}`, 'NodeGroupCreated', 2)],
  ])('serves reads with what it knows after %s, and refuses commands and claims', async (_what, write) => {
    const before = await group();
    const position = await write();
    await found();
    expect(await group(position)).toEqual(before);
    expect((await groups()).map(({ id }) => id)).toEqual([groupId]);
    await expect(resize(5)).rejects.toMatchObject(refused);
    await expect(claim()).rejects.toMatchObject(refused);
    expect(newerEvents.problem).toMatch(
      /has version \d, but this release (knows versions up to 1|does not know this type); .*; upgrade this process$/,
    );
  });

  it('does not report what it cannot know as missing', async () => {
    await append(`nodeGroup-${randomUUID()}`, 'NodeGroupCreated', 2);
    await found();
    await expect(replica.ask('node-group', 'get', { id: 'created-by-the-newer', clusterId })).rejects.toMatchObject(
      refused,
    );
  });

  it('neither reconciles nor decides any more, and continues to follow the streams that it can read', async () => {
    await append(`nodeGroup-${groupId}`, 'NodeGroupResized', 2);
    await found();
    const other = await harness.cluster({ v: 1 });
    const [otherGroup = ''] = other.groupIds;
    await harness.append(`clusterGroups-${other.id}`, {
      type: 'NodeGroupRegistered',
      data: { groupId: otherGroup, name: 'v' },
    });
    const [declared] = (await harness.events(`nodeGroup-${groupId}`, 'NodeGroupCreated')).map(({ data }) => data);
    const position = await append(`nodeGroup-${otherGroup}`, 'NodeGroupCreated', 1, {
      ...(declared as object),
      ...{ id: otherGroup, clusterId: other.id, name: 'v' },
    });
    const shown = await replica.ask<ResourceDocument>(
      'node-group',
      'get',
      { id: otherGroup },
      { minPosition: position },
    );
    expect(shown).toMatchObject({ name: 'v', clusterId: other.id });
    // the group of two nodes is not reconciled: its nodes would be declared at once
    expect((await harness.events(`nodeGroup-${otherGroup}`)).map(({ type }) => type)).toEqual(['NodeGroupCreated']);
  });

  it('skips events of unknown types in streams of other services, and everything continues', async () => {
    await append(`cluster-${clusterId}`, 'ClusterPainted', 1, { colour: 'red' });
    await append(`placement-${clusterId}`, 'PlacementNoted', 3);
    await append(`unheard-${clusterId}`, 'Anything', 7);
    await resize(3);
    await harness.workUntil(async () => (await group()).status === 'ACTIVE', 'the group is resized');
    expect(await group()).toMatchObject({ count: 3 });
    expect(newerEvents.found).toBe(false);
    expect(newerEvents.problem).toBeUndefined();
  });

  it('starts on a log that it cannot read completely, and serves reads', async () => {
    const { store } = harness;
    const position = await append(`nodeGroup-${groupId}`, 'NodeGroupResized', 2);
    await replica.stop();
    // a process of its own, which has not met the event yet
    harness = new NodeGroupHarness(store, { service: 'nodegroup-service', start: createNodeGroupService });
    replica = await harness.replica();
    expect(await group(position)).toMatchObject({ count: 2 });
    await expect(resize(5)).rejects.toMatchObject(refused);
  });

  it('is an ordinary replica after its restart with the newer release', async () => {
    const { store } = harness;
    await append(`nodeGroup-${groupId}`, 'NodeGroupRebootRequested', 2, { operation: operation() });
    await found();
    await replica.stop();
    const before = Object.assign(new Upcasters([]), eventVersions);
    Object.assign(eventVersions, new Upcasters([{ type: 'NodeGroupRebootRequested', from: 1, upcast: data => data }]));
    try {
      harness = new NodeGroupHarness(store, { service: 'nodegroup-service', start: createNodeGroupService });
      replica = await harness.replica();
      await harness.workUntil(async () => (await group()).status === 'ACTIVE', 'the nodes are restarted');
      await resize(3);
      await harness.workUntil(async () => (await group()).status === 'ACTIVE', 'the group is resized');
      expect(await group()).toMatchObject({ count: 3 });
    } finally {
      Object.assign(eventVersions, before);
    }
  });
});
