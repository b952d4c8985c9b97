import type { CommandResult, RequestMeta, ResourceDocument } from '@stave/contracts';
import { eventually } from '@stave/platform/testing';
import { scenario } from '../scenario.fixture.js';

const at = scenario();

type Meta = Partial<RequestMeta>;
const ask = (verb: string, body: object, meta: Meta = {}): Promise<CommandResult> =>
  at.world.ask<CommandResult & Record<string, never>>('container', verb, body, meta);

it('repeats answer as the first did, though the container is gone', async () => {
  await at.world.node(at.clusterId, at.groupId, 'n1');
  await at.profile();
  const { resource } = await at.create({ name: 'web' });
  await at.world.doTask('container.create');
  await at.reaches(resource.id, 'ACTIVE');
  const commands: (readonly [() => Promise<CommandResult>, string | undefined])[] = [
    [() => ask('patch', { id: 'web', patch: { labels: { a: '1' } } }, { idempotencyKey: 'labels' }), undefined],
    [
      () => ask('patch', { id: 'web', patch: { resources: { cpus: 2 } } }, { idempotencyKey: 'limits' }),
      'container.update',
    ],
    [() => ask('action', { id: 'web', action: 'stop' }, { idempotencyKey: 'stop' }), 'container.stop'],
    [() => ask('delete', { id: 'web' }, { idempotencyKey: 'delete' }), 'container.delete'],
  ];
  const first: CommandResult[] = [];
  for (const [command, task] of commands) {
    first.push(await command());
    if (task !== undefined) await at.world.doTask(task);
  }
  await eventually(
    async () =>
      (await at.world.events(`container-${resource.id}`, 'ContainerDeleted')).length === 1 ? true : undefined,
    'it is gone',
  );
  for (const [i, [command]] of commands.entries()) expect(await command()).toEqual(first[i]);
  expect(first.map(({ operationId }) => operationId !== undefined)).toEqual([false, true, true, true]);
  await expect(ask('delete', { id: resource.id })).rejects.toMatchObject({ error: { kind: 'not-found' } });
});

it('a patch that comes to labels alone names no operation', async () => {
  await at.profile();
  const { resource } = await at.create();
  const patch = { labels: { a: '1' }, restartPolicy: 'unless-stopped' };
  expect(await ask('patch', { id: resource.id, patch })).not.toHaveProperty('operationId');
});

it('a repeated cancellation is accepted again', async () => {
  await at.profile();
  const { operationId } = await at.create();
  const cancel = (meta: Meta): Promise<ResourceDocument & Record<string, never>> =>
    at.world.ask('operation', 'cancel', { id: operationId }, meta);
  await cancel({ idempotencyKey: 'cancel' });
  await eventually(
    () =>
      cancel({}).then(
        () => undefined,
        error => error.error.code === 'operation-ended',
      ),
    'it has ended',
  );
  expect(await cancel({ idempotencyKey: 'cancel' })).toMatchObject({ id: operationId });
});
