import { callSubject, type CallRequest, type ServiceError, type ServiceReply } from '@stave/contracts';
import { RingView, slotOf } from '@stave/domain';
import { conductorJoined, DRIVER } from '@stave/service-kit/testing';
import { NodeGroupHarness } from '../nodegroup.fixture.js';

const manifest = {
  name: DRIVER.name,
  namedFlavors: true,
  attributes: ['flavor.diskGb'],
  minimumFlavor: { memoryMb: 128 },
};
const large = { name: 'large', cpus: 8, memoryMb: 16_384, diskGb: 80 };

interface Group {
  readonly flavor: unknown;
  readonly revision: number;
}

describe('node groups with a flavor by name', () => {
  let harness: NodeGroupHarness;
  let clusterId: string;
  let groupId: string;
  let asked: CallRequest['spec'][];
  let answer: () => ServiceReply<unknown>;
  beforeEach(async () => {
    harness = await NodeGroupHarness.open(manifest);
    await harness.replica();
    const cluster = await harness.cluster({ web: 0 });
    clusterId = cluster.id;
    groupId = cluster.groupIds[0] ?? '';
    asked = [];
    answer = () => ({ ok: true, data: large });
  });
  afterEach(() => harness.close());

  /** A conductor that answers for the cluster. */
  const listen = (): void => {
    const view = new RingView();
    view.apply(conductorJoined(manifest) as Parameters<RingView['apply']>[0], 0);
    const subject = callSubject(view.tokenOf(view.keyFor('', DRIVER.name)), slotOf(clusterId));
    harness.first.messaging.serve(subject, 'conductor', async payload => {
      asked.push((payload as CallRequest).spec);
      return answer();
    });
  };
  const create = (meta: object = {}, more: object = {}): Promise<{ resource: Group }> =>
    harness.first.ask(
      'node-group',
      'create',
      { clusterId, name: 'big', role: 'worker', count: 0, flavor: { name: 'large' }, ...more },
      meta,
    );
  const patch = (change: object, meta: object = {}): Promise<{ resource: Group }> =>
    harness.first.ask('node-group', 'patch', { id: groupId, patch: change }, meta);
  /** Returns the groups that were created alone. */
  const created = async (): Promise<readonly unknown[]> =>
    (await harness.all('NodeGroupCreated'))
      .map(({ data }) => data as { readonly name?: string })
      .filter(({ name }) => name === 'big');
  const refusal = (attempt: Promise<unknown>): Promise<unknown> =>
    attempt.then(
      () => 'accepted',
      ({ error }: { readonly error: ServiceError }) =>
        error.errors?.map(e => `${e.pointer} ${e.code}`) ?? `${error.kind} ${error.code}`,
    );

  it('are refused with 503 while no conductor answers, and nothing is created or changed', async () => {
    expect(await refusal(create())).toBe('unavailable no-conductor');
    expect(await refusal(patch({ flavor: { name: 'large' } }))).toBe('unavailable no-conductor');
    expect(await refusal(create({}, { role: undefined }))).toEqual(['/role required']);
    expect(await created()).toEqual([]);
    expect(await harness.all('NodeGroupUpdated')).toEqual([]);
  });

  it('have the sizes that a conductor answers with, in the event and in the answer; it is asked with the options of both', async () => {
    listen();
    expect((await create({}, { options: { a: 1 } })).resource.flavor).toEqual(large);
    expect(await created()).toEqual([
      expect.objectContaining({ name: 'big', spec: expect.objectContaining({ flavor: large }) }),
    ]);
    expect(asked).toEqual([expect.objectContaining({ id: clusterId, name: 'large', options: { a: 1 } })]);
  });

  it('get the same answer to a repeated request, although the flavor has another size by now', async () => {
    listen();
    const key = { idempotencyKey: 'a-creation' };
    const first = await create(key);
    const changed = await patch({ flavor: { name: 'large' } }, { idempotencyKey: 'a-change' });
    answer = () => ({ ok: true, data: { ...large, cpus: 16 } });
    expect(await create(key)).toEqual(first);
    expect(await patch({ flavor: { name: 'large' } }, { idempotencyKey: 'a-change' })).toEqual(changed);
    expect(asked).toHaveLength(2);
    expect((await patch({ flavor: { name: 'large' } })).resource.flavor).toEqual({ ...large, cpus: 16 });
  });

  it('changes of one group at the same time each keep what they do not name', async () => {
    listen();
    await Promise.all([patch({ flavor: { name: 'large' } }), patch({ labels: { a: 'b' } }), patch({ maxCount: 9 })]);
    expect((await patch({ labels: { c: 'd' } })).resource).toMatchObject({
      flavor: large,
      labels: { a: 'b', c: 'd' },
      maxCount: 9,
    });
  });

  it('are refused by pointer where the name is unknown, and where the flavor is smaller than the driver can build', async () => {
    listen();
    answer = () => ({ ok: false, error: { code: 'flavor-unknown', kind: 'internal', detail: 'none' } });
    expect(await refusal(create())).toEqual(['/flavor/name flavor-unknown']);
    expect(await refusal(patch({ flavor: { name: 'large' } }))).toEqual(['/flavor/name flavor-unknown']);
    answer = () => ({ ok: true, data: { ...large, memoryMb: 64 } });
    expect(await refusal(create())).toEqual(['/flavor/memoryMb below-minimum-flavor']);
    expect(await refusal(patch({ flavor: { name: 'large' } }))).toEqual(['/flavor/memoryMb below-minimum-flavor']);
    expect(await harness.all('NodeGroupUpdated')).toEqual([]);
  });
});
