import { callSubject, type CallRequest, type ServiceReply } from '@stave/contracts';
import { RingView, SLOTS, type ClusterCreated } from '@stave/domain';
import { conductorJoined } from '@stave/service-kit/testing';
import { ClustersHarness, type Replica } from './clusters.fixture.js';
import { create, flavor, refusal, Sources, uuid } from './creation.fixture.js';

const manifest = { name: 'fake', namedFlavors: true, attributes: ['flavor.diskGb'], minimumFlavor: { memoryMb: 128 } };
const small = { name: 'small', cpus: 1, memoryMb: 1024 };
const group = { role: 'worker', count: 1 };

let harness: ClustersHarness;
let replica: Replica;
let asked: string[];
let answers: Readonly<Record<string, object>>;
beforeEach(async () => {
  harness = await ClustersHarness.open(manifest);
  replica = await harness.replica();
  asked = [];
  answers = { small };
});
afterEach(() => harness.close());

/** A conductor that answers for every cluster. */
function listen(): void {
  const view = new RingView();
  view.apply(conductorJoined(manifest) as Parameters<RingView['apply']>[0], 0);
  const token = view.tokenOf(view.keyFor('', 'fake'));
  const unknown = { code: 'flavor-unknown', kind: 'internal', detail: 'none' } as const;
  const answer = async (payload: unknown): Promise<ServiceReply<unknown>> => {
    const { spec } = payload as CallRequest<'cluster.flavor'>;
    asked.push(spec.name);
    const found = answers[spec.name];
    return found ? { ok: true, data: found } : { ok: false, error: unknown };
  };
  for (let slot = 0; slot < SLOTS; slot++) replica.messaging.serve(callSubject(token, slot), 'conductor', answer);
}

const ask = (nodeGroups: readonly object[], more: object = {}, key?: string) =>
  create(harness, replica, { name: 'c', driver: 'fake', nodeGroups, ...more }, key);
const places = async (attempt: Promise<unknown>): Promise<unknown> => {
  const refused = await refusal(attempt);
  return refused?.errors?.map(e => `${e.pointer} ${e.code}`) ?? (refused && `${refused.kind} ${refused.code}`);
};
const creations = async (): Promise<readonly ClusterCreated['data'][]> =>
  (await harness.all('ClusterCreated')).map(({ data }) => data as ClusterCreated['data']);

describe('clusters with flavors by name', () => {
  it('are refused with 503 while no conductor answers, and nothing is created or changed', async () => {
    expect(await places(ask([{ ...group, flavor: { name: 'small' } }]))).toBe('unavailable no-conductor');
    expect(await creations()).toEqual([]);
    const { id } = (await ask([{ ...group, flavor }])).resource;
    const patch = { defaults: { flavor: { name: 'small' } } };
    expect(await places(harness.ask(replica, 'patch', { id, patch }))).toBe('unavailable no-conductor');
    expect(await harness.all('ClusterUpdated')).toEqual([]);
  });

  it('have the sizes in their event, each name is asked once, and a repeat gets the first answer', async () => {
    listen();
    const nodeGroups = ['a', 'b'].map(name => ({ ...group, name, flavor: { name: 'small' } }));
    const body = [nodeGroups, { defaults: { flavor: { name: 'small' } } }, 'key'] as const;
    const first = await ask(...body);
    expect(asked).toEqual(['small']);
    answers = {};
    expect(await ask(...body)).toEqual(first);
    expect(asked).toEqual(['small']);
    const [created] = await creations();
    expect(created?.spec.defaults).toEqual({ flavor: small });
    expect(created?.groups.map(({ spec }) => spec.flavor)).toEqual([small, small]);
  });

  it('are refused where a flavor is unknown or too small, at the place that its name came from', async () => {
    listen();
    answers = { tiny: { name: 'tiny', cpus: 1, memoryMb: 64 } };
    const inside = { name: 'x', ...group, flavor: { name: 'none' } };
    await new Sources(harness).groupTemplate(1, 'template', { ...group, flavor: { name: 'none' } });
    const from = { nodeGroupTemplate: uuid(1) };
    const nodeGroups = [inside, { ...group, flavor: { name: 'tiny' } }, { from }, { ...group, name: 'of-defaults' }];
    expect(await places(ask(nodeGroups, { defaults: { flavor: { name: 'none' } } }))).toEqual([
      '/defaults/flavor/name flavor-unknown',
      '/nodeGroups/0/flavor/name flavor-unknown',
      '/nodeGroups/1/flavor/memoryMb below-minimum-flavor',
      '/nodeGroups/2/from flavor-unknown',
    ]);
    expect(await creations()).toEqual([]);
  });

  it('take a default flavor by name in a change, whose sizes replace those before', async () => {
    listen();
    const { id } = (await ask([{ ...group, flavor }], { defaults: { flavor: { ...flavor, diskGb: 9 } } })).resource;
    const patched = (wanted: object) => harness.ask(replica, 'patch', { id, patch: { defaults: { flavor: wanted } } });
    expect(await places(patched({ name: 'none' }))).toEqual(['/defaults/flavor/name flavor-unknown']);
    expect(await patched({ name: 'small' })).toMatchObject({ resource: { defaults: { flavor: small } } });
    await patched({ memoryMb: 2048 });
    const changes = (await harness.all('ClusterUpdated')).map(({ data }) => data);
    expect(changes).toEqual([
      { changes: { defaults: { flavor: small } } },
      { changes: { defaults: { flavor: { cpus: 1, memoryMb: 2048 } } } },
    ]);
  });
});
