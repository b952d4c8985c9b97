import type { CommandResult, Page, ResourceDocument } from '@stave/contracts';
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

interface Load {
  readonly cpus: number;
  readonly memoryMb: number;
}

const load = (cpus: number, memoryMb: number): Load => ({ cpus, memoryMb });

/** Loads of two nodes of which the default prefers the first, and the scorer the second. */
const loads: Readonly<Record<string, readonly [first: readonly Load[], second: readonly Load[]]>> = {
  leastCpu: [[load(1.5, 100)], [load(0.1, 7000)]],
  leastMemory: [[load(0.1, 3000)], [load(3.5, 100)]],
  spread: [[load(0.1, 10), load(0.1, 10)], [load(3.5, 7000)]],
};

/** Types whose effect on container sets is that of pure functions of the domain. */
const ofSetsAlone: ReadonlySet<string> = new Set(['scaling', 'deletion', 'batch']);

describe('the members of policies', () => {
  let harness: SchedulerHarness;
  beforeEach(async () => {
    harness = await SchedulerHarness.open();
    await harness.createProfile();
  });
  afterEach(() => harness.close());

  async function attach(targetType: string, target: string, type: string, properties: object): Promise<void> {
    const { resource } = await harness.first.ask<CommandResult>('policy', 'create', { type, properties });
    await harness.first.ask('policy', 'attach', { id: resource.id, target, targetType });
  }

  const placed = async (body: object): Promise<ResourceDocument> => {
    const { id } = (await harness.createContainer(body)).resource;
    return eventually(async () => {
      const container = await harness.container(id);
      return container['nodeId'] === null ? undefined : container;
    }, 'the container is placed');
  };

  /** Places containers on two nodes of which the first is preferred without a policy, the second with this scorer alone. */
  async function prefersSecond(scorer: string, target: string): Promise<void> {
    const [first, second] = loads[scorer] ?? [[], []];
    const nodes = { n1: await harness.node('n1'), n2: await harness.node('n2') };
    for (const [node, all] of Object.entries({ n1: first, n2: second }))
      for (const resources of all) await placed({ node, resources });
    const little = { resources: { cpus: 0.01, memoryMb: 1 } };
    expect((await placed(little))['nodeId']).toBe(nodes.n1);
    const policy = ['placement', { scorers: { [scorer]: 1 } }] as const;
    if (target === 'cluster') {
      await attach('cluster', 'alpha', ...policy);
      expect((await placed(little))['nodeId']).toBe(nodes.n2);
      return;
    }
    const set = { profile: 'nginx', name: 'web', desired: 0, overrides: little };
    const { resource } = await harness.first.ask<CommandResult>('container-set', 'create', set);
    await attach('containerSet', 'web', ...policy);
    await harness.first.ask('container-set', 'action', { id: resource.id, action: 'resize', count: 1 });
    const places = async (): Promise<readonly unknown[]> => {
      const { items } = await harness.first.ask<Page>('container', 'list', {
        limit: 9,
        filter: { setId: resource.id },
      });
      return items.map(({ nodeId }) => nodeId);
    };
    await eventually(async () => (await places()).includes(nodes.n2), 'the member of the set is on the second node');
    expect((await placed(little))['nodeId']).toBe(nodes.n1);
  }

  /** A test of the effect of each member, by type, member and target. Those of sets alone are in set-effects.unit.spec.ts. */
  const effects: Readonly<Record<string, () => Promise<void>>> = Object.fromEntries(
    Object.keys(loads).flatMap(scorer =>
      ['cluster', 'containerSet'].map(target => [
        `placement scorers.${scorer} ${target}`,
        () => prefersSecond(scorer, target),
      ]),
    ),
  );

  const listed = policyTypes.flatMap(type =>
    Object.entries(policyEffects[type]).flatMap(([member, targets]) =>
      targets.flatMap(target =>
        target === 'containerSet' && ofSetsAlone.has(type) ? [] : [`${type} ${member} ${target}`],
      ),
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
