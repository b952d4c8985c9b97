import { randomUUID } from 'node:crypto';
import { aDriverContext } from '@stave/driver-sdk/testing';
import { CloudSession, HeatClient, readCloud, StackPoller, failureOfStack } from '@stave/openstack';
import type { CloudSettings, Settled, StackContent, StackReference } from '@stave/openstack';
import { describeOn, openStackMissing, startOpenStack, type OpenStackServer, type OpenStackUser } from '@stave/testing';
import { nodeTemplate, userData, type ServerProperties } from './node-template.js';

const startWithinMs = 900_000;
const testWithinMs = 300_000;
const ctx = aDriverContext();
// a stack may have no new event for long where other programs need the machine
const pace = { firstMs: 300, longestMs: 2_000, stallMs: 120_000 };

jest.setTimeout(testWithinMs);

describeOn(openStackMissing(), 'the client of Heat on a real OpenStack', () => {
  let cloud: OpenStackServer;
  let member: CloudSettings;
  let heat: HeatClient;
  const made: { readonly client: HeatClient; readonly stack: StackReference; readonly tags: Record<string, string> }[] =
    [];

  const settingsOf = async (user: OpenStackUser): Promise<CloudSettings> =>
    readCloud(await cloud.environment(user), () => undefined);
  const settle = (
    client: HeatClient,
    tags: Record<string, string>,
    stack: StackReference,
    stallMs = pace.stallMs,
  ): Promise<Settled> => new StackPoller(client, tags, { ...pace, stallMs }).wait(ctx, stack);
  const create = async (content: StackContent, client = heat) => {
    const tags = { 'stave.installation': 'tests', 'stave.cluster': randomUUID() };
    const stack = await client.create(ctx, `stave-${randomUUID()}`, { ...content, tags });
    made.push({ client, stack, tags });
    return { stack, tags };
  };
  const settled = async (content: StackContent, client = heat) => {
    const { stack, tags } = await create(content, client);
    const result = await settle(client, tags, stack);
    if (result.kind !== 'settled') throw new Error(`the stack is ${result.kind}`);
    return { ...result.stack, stack, tags };
  };
  const failure = async (server: ServerProperties) => failureOfStack(await settled({ template: nodeTemplate(server) }));

  beforeAll(async () => {
    cloud = await startOpenStack();
    member = await settingsOf('member');
    heat = new HeatClient(new CloudSession(member));
  }, startWithinMs);

  afterEach(async () => {
    for (const { client, stack, tags } of made.splice(0)) {
      await client.delete(ctx, stack);
      expect(await settle(client, tags, stack)).toEqual({ kind: 'gone' });
      expect(await client.get(ctx, stack)).toBeUndefined();
    }
  });

  afterAll(() => cloud?.stop(), startWithinMs);

  it.each(['cloud-init', 'ignition'] as const)('a node reports by the signal in its user data for %s', async format => {
    const nodes = await cloud.playNodes();
    const { action, progress, stack } = await settled({ template: nodeTemplate({}, userData(format)) });
    nodes.stop();
    expect({ action, progress }).toEqual({ action: 'CREATE', progress: 'COMPLETE' });
    expect((await heat.get(ctx, stack))?.outputs).toEqual({ server: expect.any(String) });
  });

  it('a node that reports a failure fails its stack with that code', async () => {
    const nodes = await cloud.playNodes({ fail: '.' });
    const stack = await settled({ template: nodeTemplate({}, userData('cloud-init')) });
    nodes.stop();
    expect(failureOfStack(stack)).toMatchObject({ failure: 'transient', code: 'node-reported-failure' });
  });

  it('a stack is found by its tags, changed in place, checked, and has its outputs', async () => {
    const { stack, tags } = await settled({ template: nodeTemplate({}) });
    expect(await heat.list(ctx, tags)).toMatchObject([{ ...stack, tags, action: 'CREATE', progress: 'COMPLETE' }]);
    expect(await heat.list(ctx, { ...tags, 'stave.cluster': 'another' })).toEqual([]);
    const before = (await heat.get(ctx, stack))?.outputs;
    await heat.update(ctx, stack, { template: nodeTemplate({ metadata: { a: 'b' } }), tags });
    expect(await settle(heat, tags, stack)).toMatchObject({ stack: { action: 'UPDATE', progress: 'COMPLETE' } });
    expect((await heat.get(ctx, stack))?.outputs).toEqual(before);
    await heat.check(ctx, stack);
    expect(await settle(heat, tags, stack)).toMatchObject({ stack: { action: 'CHECK', progress: 'COMPLETE' } });
  });

  it('what Heat refuses at once is permanent, and named', async () => {
    const refused = (server: ServerProperties): Promise<unknown> => create({ template: nodeTemplate(server) });
    await expect(refused({ flavor: 'nope' })).rejects.toMatchObject({ failure: 'permanent', code: 'flavor-unknown' });
    await expect(refused({ image: 'nope' })).rejects.toMatchObject({ failure: 'permanent', code: 'image-unknown' });
    const parameters = { nope: 1 };
    const unknown = create({ template: nodeTemplate({}), parameters });
    await expect(unknown).rejects.toMatchObject({ failure: 'permanent' });
  });

  it('what fails later has the class and the code of its reason', async () => {
    expect(await failure({ availability_zone: 'mars' })).toMatchObject({ failure: 'permanent', code: 'zone-unknown' });
    expect(await failure({ flavor: 'm1.impossible' })).toMatchObject({ failure: 'capacity', code: 'no-valid-host' });
    const client = new HeatClient(new CloudSession(await settingsOf('small')));
    const networks = ['a', 'b'].map(name => [name, { type: 'OS::Neutron::Net' }]);
    const template = { heat_template_version: '2021-04-16', resources: Object.fromEntries(networks) };
    const stack = await settled({ template }, client);
    expect(failureOfStack(stack)).toMatchObject({ failure: 'capacity', code: 'quota-exceeded' });
  });

  it('a name that exists is a conflict; other projects see nothing; a deletion can be repeated', async () => {
    const { stack, tags } = await create({ template: nodeTemplate({}) });
    const again = heat.create(ctx, stack.name, { template: nodeTemplate({}) });
    await expect(again).rejects.toMatchObject({ failure: 'conflict', code: 'stack-exists' });
    const other = new HeatClient(new CloudSession(await settingsOf('other')));
    expect(await other.list(ctx, tags)).toEqual([]);
    expect(await other.get(ctx, stack)).toBeUndefined();
    await heat.delete(ctx, stack);
    await heat.delete(ctx, stack);
    expect(await settle(heat, tags, stack)).toEqual({ kind: 'gone' });
  });

  it('a stack whose engine was killed is stalled, and complete after it was resumed', async () => {
    const { stack, tags } = await create({ template: nodeTemplate({ metadata: { osrig_delay: '8' } }) });
    await cloud.service('kill', 'heat-engine1');
    await cloud.service('start', 'heat-engine1');
    expect(await settle(heat, tags, stack, 5_000)).toMatchObject({ kind: 'stalled' });
    await heat.resume(ctx, stack);
    expect(await settle(heat, tags, stack)).toMatchObject({ kind: 'settled', stack: { progress: 'COMPLETE' } });
    expect(await cloud.health()).toBe(true);
  });

  it('a wrong password is permanent, and a region that the cloud lacks, too', async () => {
    const refused = new HeatClient(new CloudSession({ ...member, password: 'wrong' }));
    await expect(refused.list(ctx, { a: 'b' })).rejects.toMatchObject({ failure: 'permanent' });
    const elsewhere = new HeatClient(new CloudSession({ ...member, region: 'Mars' }));
    await expect(elsewhere.list(ctx, { a: 'b' })).rejects.toMatchObject({ failure: 'permanent' });
  });
});
