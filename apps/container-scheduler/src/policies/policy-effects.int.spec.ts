import type { CommandResult, ResourceDocument } from '@stave/contracts';
import { policyProperties, type JsonSchema } from '@stave/contracts/schemas';
import { createPolicy, policyEffects, policyTypes } from '@stave/domain';
import { eventually } from '@stave/platform/testing';
import { SchedulerHarness } from '../scheduler.fixture.js';

/** Returns the path of each member that a schema of properties allows. */
function membersOf(schema: JsonSchema, path = ''): readonly string[] {
  const { properties, items } = schema as { properties?: Readonly<Record<string, JsonSchema>>; items?: JsonSchema };
  if (items) return membersOf(items, `${path}[]`);
  if (!properties) return [path];
  return Object.entries(properties).flatMap(([name, member]) => membersOf(member, path ? `${path}.${name}` : name));
}

/** Returns properties that have nothing but the member at the path. */
function propertiesWith([name = '', ...inner]: readonly string[]): object {
  const value = inner.length > 0 ? propertiesWith(inner) : 1;
  return name.endsWith('[]') ? { [name.slice(0, -2)]: [value] } : { [name]: value };
}

describe('the members of policies', () => {
  let harness: SchedulerHarness;
  beforeEach(async () => {
    harness = await SchedulerHarness.open();
    await harness.createProfile();
  });
  afterEach(() => harness.close());

  async function attachToCluster(type: string, properties: object): Promise<string> {
    const policy = await harness.first.ask<CommandResult>('policy', 'create', { type, properties });
    const { id } = policy.resource;
    await harness.first.ask('policy', 'attach', { id, target: 'alpha', targetType: 'cluster' });
    return id;
  }

  const placed = async (body: object): Promise<ResourceDocument> => {
    const { id } = (await harness.createContainer(body)).resource;
    return eventually(async () => {
      const container = await harness.container(id);
      return container['nodeId'] === null ? undefined : container;
    }, 'the container is placed');
  };

  interface Load {
    readonly cpus: number;
    readonly memoryMb: number;
  }

  /** Containers on the nodes `n1` and `n2` of which the first is preferred without a policy, the second with this one. */
  async function prefersSecond(scorer: string, first: readonly Load[], second: readonly Load[]): Promise<void> {
    const nodes = { n1: await harness.node('n1'), n2: await harness.node('n2') };
    for (const [node, loads] of Object.entries({ n1: first, n2: second }))
      for (const resources of loads) await placed({ node, resources });
    const little = { resources: { cpus: 0.01, memoryMb: 1 } };
    expect((await placed(little))['nodeId']).toBe(nodes.n1);
    await attachToCluster('placement', { scorers: { [scorer]: 1 } });
    expect((await placed(little))['nodeId']).toBe(nodes.n2);
  }

  const load = (cpus: number, memoryMb: number): Load => ({ cpus, memoryMb });

  /** A test of the effect of each member, by type, member and target. */
  const effects: Readonly<Record<string, () => Promise<void>>> = {
    'placement scorers.leastCpu cluster': () => prefersSecond('leastCpu', [load(1.5, 100)], [load(0.1, 7000)]),
    'placement scorers.leastMemory cluster': () => prefersSecond('leastMemory', [load(0.1, 3000)], [load(3.5, 100)]),
    'placement scorers.spread cluster': () =>
      prefersSecond('spread', [load(0.1, 10), load(0.1, 10)], [load(3.5, 7000)]),
  };

  const listed = policyTypes.flatMap(type =>
    Object.entries(policyEffects[type]).flatMap(([member, targets]) =>
      targets.map(target => `${type} ${member} ${target}`),
    ),
  );

  it('each member that takes effect has a test of its effect', () => {
    expect(Object.keys(effects).sort()).toEqual([...listed].sort());
  });

  it.each(policyTypes)('each member of %s policies in the schema either takes effect or is refused', type => {
    const members = membersOf(policyProperties[type]);
    expect(members).toEqual(expect.arrayContaining(Object.keys(policyEffects[type])));
    const created = { id: 'x', name: 'x', projectId: 'p', type, version: '1.0' };
    const refused = members.filter(member => {
      const decision = createPolicy({ ...created, properties: propertiesWith(member.split('.')) });
      const { errors = [] } = decision.ok ? {} : decision.refusal;
      return errors.some(({ code, pointer }) => code === 'no-effect-yet' && pointer.startsWith('/properties/'));
    });
    expect(refused).toEqual(members.filter(member => !(member in policyEffects[type])));
  });

  it.each(Object.keys(effects))('%s has an effect', effect => effects[effect]?.());
});
