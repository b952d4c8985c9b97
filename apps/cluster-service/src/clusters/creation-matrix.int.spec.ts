import { isDeepStrictEqual } from 'node:util';
import { v7 as uuidv7 } from 'uuid';
import { ClustersHarness, PROJECT, type Replica } from './clusters.fixture.js';
import { create, creationOf, refusal } from './creation.fixture.js';

/** For each attribute of a cluster: the value of its source, and the value of the request. */
const values = {
  description: ['sells', 'tests'],
  labels: [{ a: '1' }, { a: '2' }],
  network: [{ cidr: '10.0.0.0/24' }, { driver: 'overlay' }],
  api: [{ port: 2376 }, { port: 6443 }],
  defaults: [{ image: 'one' }, { dataVolumeGb: 10 }],
  options: [{ size: 1 }, { size: 2 }],
} as const;
const builtIn: Readonly<Record<string, object>> = { labels: {}, network: {}, api: {}, defaults: {}, options: {} };

interface Case {
  readonly attribute: keyof typeof values;
  readonly way: 'attributes' | 'clusterTemplate' | 'cluster';
  readonly override: 'none' | 'equal' | 'other' | 'null';
  readonly open: boolean;
  readonly marked: boolean;
  readonly driver: 'request' | 'source' | 'nobody';
}

const both = [false, true];
const dimensions: { readonly [K in keyof Case]: readonly Case[K][] } = {
  attribute: Object.keys(values) as Case['attribute'][],
  way: ['attributes', 'clusterTemplate', 'cluster'],
  override: ['none', 'equal', 'other', 'null'],
  open: both,
  marked: both,
  driver: ['request', 'source', 'nobody'],
};
const cases = Object.entries(dimensions)
  .reduce<object[]>((some, [name, all]) => some.flatMap(c => all.map(value => ({ ...c, [name]: value }))), [{}])
  .map(c => c as Case)
  .filter(
    c =>
      (c.override !== 'null' || c.attribute === 'description') &&
      (!c.marked || c.way === 'clusterTemplate') &&
      (c.way !== 'attributes' || (!c.open && c.driver !== 'source')) &&
      (c.way !== 'cluster' || c.driver !== 'nobody'),
  );

const said = ({ attribute, way, override, open }: Case) => {
  const [first, second] = values[attribute];
  // what lives was filled in when it was made
  const source = way === 'attributes' ? undefined : !open ? first : way === 'cluster' ? builtIn[attribute] : undefined;
  const request = { none: undefined, equal: source ?? second, other: second, null: null }[override];
  return { source, request };
};

/** The rules, one after the other. */
function expected(c: Case): { readonly problems: readonly string[]; readonly value?: unknown; readonly from?: string } {
  const { source, request } = said(c);
  const problems = [
    ...(c.driver === 'nobody' ? ['/driver required'] : []),
    ...(c.marked && request !== undefined && !isDeepStrictEqual(request, source ?? null)
      ? [`/${c.attribute} immutable-attribute`]
      : []),
  ];
  if (problems.length > 0) return { problems };
  if (request !== undefined && request !== null) return { problems, value: request, from: 'request' };
  if (request === undefined && source !== undefined) return { problems, value: source, from: 'source' };
  const value = builtIn[c.attribute];
  return value ? { problems, value, from: 'default' } : { problems };
}

let harness: ClustersHarness;
let replica: Replica;
beforeAll(async () => {
  harness = await ClustersHarness.open();
  replica = await harness.replica();
});
afterAll(() => harness.close());

/** Id of what the case is made from. */
async function sourceOf(c: Case): Promise<string> {
  const value = c.open ? {} : { [c.attribute]: values[c.attribute][0] };
  if (c.way === 'cluster') return (await create(harness, replica, { driver: 'fake', ...value })).resource.id;
  const id = uuidv7();
  const attributes = { ...value, ...(c.driver === 'source' ? { driver: 'fake' } : {}) };
  const immutableAttributes = c.marked ? [c.attribute] : [];
  const data = { id, name: id, projectId: PROJECT, groups: [], attributes, immutableAttributes, locked: {} };
  await harness.append(`clusterTemplate-${id}`, { type: 'ClusterTemplateCreated', data });
  return id;
}

async function played(c: Case): Promise<ReturnType<typeof expected>> {
  const { request } = said(c);
  const body = {
    ...(c.way === 'attributes' ? {} : { from: { [c.way]: await sourceOf(c) } }),
    ...(c.driver === 'request' ? { driver: 'fake' } : {}),
    ...(request === undefined ? {} : { [c.attribute]: request }),
  };
  let id = '';
  const refused = await refusal(create(harness, replica, body).then(({ resource }) => void (id = resource.id)));
  if (refused) return { problems: (refused.errors ?? []).map(e => `${e.pointer} ${e.code}`) };
  const { spec, origins } = await creationOf(harness, id);
  const value = spec[c.attribute];
  return value === undefined ? { problems: [] } : { problems: [], value, from: origins?.[c.attribute]?.from ?? '' };
}

it('each attribute of a cluster is resolved for every source, override, open or immutable value and missing driver', async () => {
  const seen = { cases: 0, refused: 0 };
  for (const c of cases) {
    const wanted = expected(c);
    expect({ case: c, ...(await played(c)) }).toEqual({ case: c, ...wanted });
    seen.cases += 1;
    seen.refused += Number(wanted.problems.length > 0);
  }
  process.stdout.write(`creation matrix of clusters: ${JSON.stringify(seen)}\n`);
  expect(seen).toEqual({ cases: cases.length, refused: expect.any(Number) });
  expect(seen.refused).toBeGreaterThan(50);
}, 120_000);
