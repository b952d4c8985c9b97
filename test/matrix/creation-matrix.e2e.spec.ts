import { uniqueName, type ProblemView, type StaveAnswer } from '@stave/testing';
import { startEmbedded, type Stack } from '../e2e/stack.js';
import { Fleet } from '../e2e/fleet.js';
import { creationCases, type CreationCase } from './creation-cases.js';
import { expected, type Expectation } from './creation-oracle.js';
import { requestOf } from './creation-requests.js';
import { CreationSources } from './creation-sources.js';

jest.setTimeout(300_000);

type Spec = Readonly<Record<string, unknown>>;
interface Declared {
  readonly name: string;
  readonly spec: Spec;
  readonly origins: Readonly<Record<string, { readonly from: string; readonly source?: { readonly id: string } }>>;
}
interface PlanView {
  readonly planToken: string;
  readonly events: readonly {
    readonly type: string;
    readonly data: Declared & { readonly groups?: readonly Declared[] };
  }[];
}

const AT_ONCE = 6;
/** Every 40th accepted case is also executed with its plan. */
const DONE_OF = 40;

let stack: Stack;
let fleet: Fleet;
let sources: CreationSources;
beforeAll(async () => {
  stack = await startEmbedded();
  fleet = new Fleet(stack);
  sources = new CreationSources(fleet.api);
});
afterAll(() => stack.close());

/** Returns what the plan says about the attribute of the case. */
async function planned(c: CreationCase, { body }: StaveAnswer<PlanView & ProblemView>): Promise<Expectation> {
  if (body.errors) return { problems: body.errors.map(e => `${e.pointer} ${e.code}`).sort() };
  const data = body.events.find(e => e.type === 'ClusterCreated' || e.type === 'NodeGroupCreated')?.data;
  const group = data?.groups?.[0] ?? data;
  const { from, source } = group?.origins[c.attribute] ?? { from: 'default' };
  const ofEntry =
    source !== undefined && c.entry !== 'attributes' && c.entry !== 'none' && source.id === (await sources.entry(c));
  const place = source === undefined ? from : ofEntry ? 'entry' : 'under';
  return { problems: [], value: group?.spec[c.attribute], from: place as NonNullable<Expectation['from']> };
}

/** Executes the change with the token of its plan and checks that the group has the planned attributes. */
async function execute(path: string, body: object, plan: PlanView): Promise<void> {
  const answer = await fleet.api.post<{ id: string; count?: number }>(`${path}?planToken=${plan.planToken}`, body);
  const made = await fleet.api.succeed(answer);
  const group = path === '/v1/clusters' ? (await fleet.api.list<Spec>(`/v1/clusters/${made.id}/node-groups`))[0] : made;
  const data = plan.events.find(e => e.type === 'ClusterCreated' || e.type === 'NodeGroupCreated')?.data;
  expect(group).toMatchObject((data?.groups?.[0] ?? data)?.spec ?? {});
}

it('every combination of source, override, immutable and missing attributes resolves as the specification says', async () => {
  const seen = { cases: 0, refused: 0, done: 0 };
  const queue = [...creationCases()];
  const check = async (c: CreationCase): Promise<void> => {
    const { path, body } = await requestOf(c, sources);
    const answer = await fleet.api.post<PlanView & ProblemView>(`${path}?dryRun=true`, body);
    const wanted = expected(c);
    const outcome = wanted.problems.length > 0 ? { problems: wanted.problems } : wanted;
    expect({ case: c, body, status: answer.status, ...(await planned(c, answer)) }).toEqual({
      case: c,
      body,
      status: wanted.problems.length > 0 ? 422 : 200,
      ...outcome,
    });
    seen.cases += 1;
    seen.refused += Number(wanted.problems.length > 0);
    if (wanted.problems.length > 0 || seen.cases % DONE_OF > 0) return;
    const name = uniqueName('done');
    const named = { ...body, name };
    const plan = await fleet.api.post<PlanView>(`${path}?dryRun=true`, named);
    await execute(path, named, plan.body);
    seen.done += 1;
  };
  const worker = async (): Promise<void> => {
    for (let c = queue.pop(); c; c = queue.pop()) await check(c);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  process.stdout.write(`creation matrix: ${JSON.stringify(seen)}\n`);
  expect(seen.cases).toBe(creationCases().length);
  expect(Math.min(seen.refused, seen.done)).toBeGreaterThan(20);
});
