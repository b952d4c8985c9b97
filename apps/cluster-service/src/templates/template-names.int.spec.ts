import { createHash } from 'node:crypto';
import { ClustersHarness, PROJECT, type Replica } from '../clusters/clusters.fixture.js';
import { asked, groupTemplatesIn, outcome, type Asked, type TemplateView } from './templates.fixture.js';

jest.setTimeout(120_000);

const KIND = 'node-group-template';
let harness: ClustersHarness;
let replicas: readonly [Replica, Replica];
beforeEach(async () => {
  harness = await ClustersHarness.open();
  replicas = [await harness.replica(), await harness.replica()];
});
afterEach(() => harness.close());

const ask = (change: Asked, replica = replicas[0]): Promise<TemplateView> => asked(harness, replica, change);
const parent = (name: string): Promise<TemplateView> =>
  ask({ kind: 'cluster-template', verb: 'create', body: { name } });
const creation = (name: string, clusterTemplateId: string | null): Asked => ({
  kind: KIND,
  verb: 'create',
  body: { name, clusterTemplateId },
});
const move = (id: string, clusterTemplateId: string | null): Asked => ({
  kind: KIND,
  verb: 'patch',
  body: { id, patch: { clusterTemplateId } },
});
const typesOf = async (id: string): Promise<readonly string[]> =>
  (await harness.store.readStream(`nodeGroupTemplate-${id}`)).map(({ type }) => type);

/** Reserves the name for the next event of the target, like a request that is interrupted afterwards. */
async function takenFor(scope: string, name: string, targetId: string, asOf: number): Promise<void> {
  const hash = createHash('sha256').update(`${scope.length}:${scope}${name}`).digest('hex').slice(0, 32);
  const data = { targetId, targetStream: `nodeGroupTemplate-${targetId}`, name, asOf };
  await harness.append(`name-${hash}`, { type: 'NameReserved', data });
}

/** Returns the same numbers in each run. */
function* numbers(seed: number): Generator<number, never> {
  for (let n = seed; ;) {
    n = (n * 1_103_515_245 + 12_345) % 2_147_483_648;
    yield n >> 8;
  }
}

it('two replicas never reserve one name twice in one scope, while templates are created, moved and deleted concurrently', async () => {
  const scopes = [null, (await parent('one')).id, (await parent('two')).id];
  const random = numbers(7);
  const pick = <T>(all: readonly T[]): T | undefined => all[random.next().value % all.length];
  const said = new Map<string, number>();
  for (let round = 0; round < 40; round++) {
    const there = (await groupTemplatesIn(harness)).map(({ created }) => created.id);
    const changes = Array.from({ length: 8 }, (): Asked => {
      const id = pick(there);
      const scope = pick(scopes) ?? null;
      const kind = random.next().value % 8;
      if (id === undefined || kind < 2) return creation(pick(['a', 'b', 'C', 'c']) ?? '', scope);
      return kind === 2 ? { kind: KIND, verb: 'delete', body: { id } } : move(id, scope);
    });
    const outcomes = await Promise.all(changes.map((change, i) => outcome(ask(change, replicas[i % 2]))));
    for (const one of outcomes) said.set(one, (said.get(one) ?? 0) + 1);
    const seen = (await groupTemplatesIn(harness)).map(s => `${s.clusterTemplateId} ${s.created.name.toLowerCase()}`);
    expect(seen.length).toBe(new Set(seen).size);
  }
  expect([...said.keys()].sort()).toEqual(['accepted', 'name-taken', 'not-found']);
  expect(said.get('accepted')).toBeGreaterThan(50);
  // no name is lost: who is not there does not have one
  const taken = new Set(
    (await groupTemplatesIn(harness)).map(s => `${s.clusterTemplateId} ${s.created.name.toLowerCase()}`),
  );
  for (const scope of scopes)
    for (const name of ['a', 'b', 'c'])
      expect(await outcome(ask(creation(name, scope)))).toBe(taken.has(`${scope} ${name}`) ? 'name-taken' : 'accepted');
});

it('a name reserved for a move that was not completed is free for others, and the late move is refused', async () => {
  const { id: scope } = await parent('one');
  const { id } = await ask(creation('web', null));
  await takenFor(`${scope}|nodeGroupTemplate`, 'web', id, 1);
  const other = await ask(creation('WEB', scope), replicas[1]);
  expect(await typesOf(id)).toEqual(['NodeGroupTemplateCreated', 'NodeGroupTemplateMoveAbandoned']);
  expect(await outcome(ask(move(id, scope)))).toBe('name-taken');
  await ask({ kind: KIND, verb: 'delete', body: { id: other.id } });
  expect(await ask(move(id, scope))).toMatchObject({ clusterTemplateId: scope, revision: 2 });
});

it('a name reserved for a move is free at once after another change of the template', async () => {
  const { id: scope } = await parent('one');
  const { id } = await ask(creation('web', null));
  await takenFor(`${scope}|nodeGroupTemplate`, 'web', id, 1);
  await ask({ kind: KIND, verb: 'patch', body: { id, patch: { image: 'i' } } });
  expect(await outcome(ask(creation('web', scope)))).toBe('accepted');
  expect(await typesOf(id)).not.toContain('NodeGroupTemplateMoveAbandoned');
});

it('a move whose name was reserved by an interrupted request is completed by its repeat', async () => {
  const { id: scope } = await parent('one');
  const { id } = await ask(creation('web', null));
  await takenFor(`${scope}|nodeGroupTemplate`, 'web', id, 1);
  expect(await ask(move(id, scope))).toMatchObject({ clusterTemplateId: scope });
  expect(await outcome(ask(creation('web', scope)))).toBe('name-taken');
  expect(await outcome(ask(creation('web', null)))).toBe('accepted');
});

it('names of free-standing templates are unique in their project', async () => {
  await ask(creation('web', null));
  const actor = { keyId: 'k', role: 'member' as const, project: `${PROJECT}-2` };
  expect(await outcome(asked(harness, replicas[1], creation('web', null), { actor }))).toBe('accepted');
});
