import type { CommandResult, RequestMeta, ResourceDocument } from '@stave/contracts';
import { eventually } from '@stave/platform/testing';
import { SchedulerHarness } from '../scheduler.fixture.js';

describe('commands on containers', () => {
  let harness: SchedulerHarness;
  beforeEach(async () => {
    harness = await SchedulerHarness.open();
    await harness.createProfile();
  });
  afterEach(() => harness.close());

  type Meta = Partial<RequestMeta>;
  const ask = (verb: string, body: object, meta: Meta = {}): Promise<CommandResult> =>
    harness.first.ask('container', verb, body, meta);

  it('one idempotency key creates one container, and is refused for another request', async () => {
    const first = await harness.createContainer({}, { idempotencyKey: 'k1' });
    expect(await harness.createContainer({}, { idempotencyKey: 'k1' })).toEqual(first);
    await expect(harness.createContainer({ name: 'other' }, { idempotencyKey: 'k1' })).rejects.toMatchObject({
      error: { code: 'idempotency-key-reused' },
    });
  });

  it('a repeat gets the answer of the first request, although the container is deleted', async () => {
    await harness.node('n1');
    const { resource } = await harness.createContainer({ name: 'web' });
    await harness.completeTask('container.create');
    await harness.containerIs(resource.id, 'ACTIVE');
    const once = (verb: string, body: object) => (): Promise<CommandResult> =>
      ask(verb, { id: 'web', ...body }, { idempotencyKey: `${verb} ${JSON.stringify(body)}` });
    const commands: (readonly [() => Promise<CommandResult>, string | undefined])[] = [
      [once('patch', { patch: { labels: { a: '1' } } }), undefined],
      [once('patch', { patch: { resources: { cpus: 2 } } }), 'container.update'],
      [once('action', { action: 'stop' }), 'container.stop'],
      [once('delete', {}), 'container.delete'],
    ];
    const first: CommandResult[] = [];
    for (const [command, task] of commands) {
      first.push(await command());
      if (task !== undefined) await harness.completeTask(task);
    }
    await harness.containerIsDeleted(resource.id);
    for (const [i, [command]] of commands.entries()) expect(await command()).toEqual(first[i]);
    expect(first.map(({ operationId }) => operationId !== undefined)).toEqual([false, true, true, true]);
    await expect(ask('delete', { id: resource.id })).rejects.toMatchObject({ error: { kind: 'not-found' } });
  });

  it('a host that is gone is reported at the member of the request that names it', async () => {
    const gone = await harness.cluster('gone');
    await harness.createProfile({ name: 'homeless', hostCluster: 'gone' });
    await harness.append(`cluster-${gone}`, { type: 'ClusterDeleted', data: {} });
    const pointer = async (body: object): Promise<unknown> => {
      const refused = await harness.createContainer({ profile: 'homeless', ...body }).catch((error: unknown) => error);
      return (refused as { error: { errors: readonly { pointer: string }[] } }).error.errors.map(each => each.pointer);
    };
    expect(await eventually(() => pointer({}), 'the cluster is gone')).toEqual(['/profile']);
    expect(await pointer({ cluster: 'nowhere' })).toEqual(['/cluster']);
    expect(await pointer({ hostCluster: 'nowhere', node: 'none' })).toEqual(['/node', '/hostCluster']);
  });

  it('a patch that changes only the labels of a container starts no operation', async () => {
    const { resource } = await harness.createContainer();
    const patch = { labels: { a: '1' }, restartPolicy: 'unless-stopped' };
    expect(await ask('patch', { id: resource.id, patch })).not.toHaveProperty('operationId');
  });

  it('a repeated cancellation is answered after the operation has ended', async () => {
    const { operationId } = await harness.createContainer();
    const cancel = (meta: Meta): Promise<ResourceDocument> =>
      harness.first.ask('operation', 'cancel', { id: operationId }, meta);
    await cancel({ idempotencyKey: 'cancel' });
    await eventually(
      () =>
        cancel({}).then(
          () => undefined,
          error => error.error.code === 'operation-ended',
        ),
      'the operation has ended',
    );
    expect(await cancel({ idempotencyKey: 'cancel' })).toMatchObject({ id: operationId });
  });
});
