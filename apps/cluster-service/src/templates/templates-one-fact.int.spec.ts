import { ClustersHarness, type Replica } from '../clusters/clusters.fixture.js';

import {
  asked,
  groupTemplatesIn,
  logOf,
  outcome,
  harnessAfter,
  type Asked,
  type TemplateView,
} from './templates.fixture.js';
import { eventually } from '@stave/platform/testing';

jest.setTimeout(120_000);

const flavor = { cpus: 1, memoryMb: 512 };
const nodeGroups = [
  { name: 'a', role: 'worker', flavor },
  { name: 'b', role: 'worker', flavor },
];
const key = { idempotencyKey: 'key' };
/** Removes what may differ in the answer to a repeat when the first request appended no event: times, and ids of templates inside. */
const shown = ({ createdAt: _created, updatedAt: _updated, nodeGroupTemplates, ...rest }: TemplateView): unknown => ({
  ...rest,
  nodeGroupTemplates: nodeGroupTemplates?.map(({ name }) => name),
});

type Setup = (ask: (change: Asked) => Promise<TemplateView>) => Promise<Asked>;

const creation: Asked = {
  kind: 'cluster-template',
  verb: 'create',
  body: { name: 'shop', driver: 'fake', nodeGroups },
};
const inside = async (ask: (change: Asked) => Promise<TemplateView>): Promise<readonly [TemplateView, string]> => {
  const parent = await ask(creation);
  return [parent, parent.nodeGroupTemplates?.[0]?.id ?? ''];
};

const requests: Readonly<Record<string, Setup>> = {
  'the creation of a cluster template with two node group templates': async () => creation,
  'the creation from a template that was deleted since': async ask => {
    const { id } = await ask({ kind: 'cluster-template', verb: 'create', body: { name: 'source', nodeGroups } });
    return { kind: 'cluster-template', verb: 'create', body: { from: { clusterTemplate: id } } };
  },
  'the creation of a node group template in a cluster template': async ask => {
    const { id } = await ask(creation);
    return { kind: 'node-group-template', verb: 'create', body: { name: 'c', clusterTemplateId: id } };
  },
  'moving a node group template out of its cluster template': async ask => {
    const [, id] = await inside(ask);
    return { kind: 'node-group-template', verb: 'patch', body: { id, patch: { clusterTemplateId: null, image: 'i' } } };
  },
  'moving a node group template into another cluster template': async ask => {
    const [, id] = await inside(ask);
    const other = await ask({ kind: 'cluster-template', verb: 'create', body: { name: 'other' } });
    return { kind: 'node-group-template', verb: 'patch', body: { id, patch: { clusterTemplateId: other.id } } };
  },
  'the deletion of a cluster template': async ask => {
    const [{ id }] = await inside(ask);
    return { kind: 'cluster-template', verb: 'delete', body: { id } };
  },
};

const names = (all: readonly { readonly created: { readonly name: string } }[]): readonly string[] =>
  all.map(({ created }) => created.name).sort();

describe.each(Object.entries(requests))('%s', (_what, setup) => {
  let harness: ClustersHarness;
  let before: number;
  let request: Asked;
  let answer: TemplateView;
  let left: readonly string[];
  let log: Awaited<ReturnType<typeof logOf>>;
  beforeAll(async () => {
    harness = await ClustersHarness.open();
    const replica = await harness.replica();
    request = await setup(change => asked(harness, replica, change));
    before = (await logOf(harness)).length;
    answer = await asked(harness, replica, request, key);
    log = await logOf(harness);
    await outcome(asked(harness, replica, { kind: 'cluster-template', verb: 'delete', body: { id: 'source' } }));
    left = names(await groupTemplatesIn(harness));
    await replica.stop();
  });
  afterAll(() => harness.close());

  const accepted = (): number => log.findIndex(({ type }, i) => i >= before && type === 'RequestAccepted');

  /** Every harness in which the process ended after it had remembered the request, and what it left there. */
  async function* ends(): AsyncIterable<readonly [ClustersHarness, Replica, readonly string[]]> {
    expect(accepted()).toBeGreaterThanOrEqual(before);
    for (let count = accepted() + 1; count <= log.length; count++) {
      const half = await harnessAfter(log.slice(0, count));
      const replica = await half.replica();
      await outcome(asked(half, replica, { kind: 'cluster-template', verb: 'delete', body: { id: 'source' } }));
      yield [half, replica, log.slice(accepted(), count).map(({ type }) => type)];
      await half.close();
    }
  }

  it('a repeat completes a command that was interrupted after any step, with the same answer and without duplicates', async () => {
    for await (const [half, replica, steps] of ends()) {
      const again = [await asked(half, replica, request, key), await asked(half, replica, request, key)];
      for (const one of again) expect({ steps, one: shown(one) }).toEqual({ steps, one: shown(answer) });
      expect({ steps, left: names(await groupTemplatesIn(half)) }).toEqual({ steps, left });
    }
  });

  it('the next replica completes a command that was interrupted after its event, without a repeat, under the correlation id of the request', async () => {
    for await (const [half, replica, steps] of ends()) {
      const fact = /ClusterTemplate(Created|Deleted)|NodeGroupTemplate(Created|Updated)/;
      if (!steps.some(type => fact.test(type))) continue;
      await eventually(
        async () => String(names(await groupTemplatesIn(half))) === String(left),
        `what follows ${steps.join(', ')}`,
      );
      const followUp = steps.includes('ClusterTemplateDeleted')
        ? 'NodeGroupTemplateDeleted'
        : 'NodeGroupTemplateCreated';
      const completed = (await logOf(half)).slice(accepted() + steps.length).filter(({ type }) => type === followUp);
      for (const { metadata } of completed)
        expect({ steps, id: metadata.correlationId }).toEqual({ steps, id: log[accepted()]?.metadata.correlationId });
      for (const { clusterTemplateId, created } of await groupTemplatesIn(half)) {
        const twin = { name: created?.name.toUpperCase(), clusterTemplateId };
        const attempt = asked(half, replica, { kind: 'node-group-template', verb: 'create', body: twin });
        expect(await outcome(attempt)).toBe('name-taken');
      }
    }
  });
});

it('the reconciler releases names that are free again', async () => {
  const harness = await ClustersHarness.open();
  const replica = await harness.replica();
  const ask = (change: Asked): Promise<TemplateView> => asked(harness, replica, change);
  const [parent, id] = await inside(ask);
  await ask({ kind: 'node-group-template', verb: 'patch', body: { id, patch: { clusterTemplateId: null } } });
  await ask({ kind: 'cluster-template', verb: 'delete', body: { id: parent.id } });
  const released = async (): Promise<number> => (await harness.all('NameReleased')).length;
  // of the template, of the one that has left, of the one that went with it
  await eventually(async () => (await released()) === 3, 'three names are free');
  await harness.close();
});
