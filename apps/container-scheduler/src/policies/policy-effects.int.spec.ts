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

describe('the members of policies', () => {
  let harness: SchedulerHarness;
  beforeEach(async () => {
    harness = await SchedulerHarness.open();
    await harness.createProfile();
  });
  afterEach(() => harness.close());

  async function attach(
    targetType: string,
    target: string,
    type: string,
    properties: object,
    name = `${type}-${target}`,
  ): Promise<void> {
    const { resource } = await harness.first.ask<CommandResult>('policy', 'create', { name, type, properties });
    await harness.first.ask('policy', 'attach', { id: resource.id, target, targetType });
  }

  const placed = async (body: object): Promise<ResourceDocument> => {
    const { id } = (await harness.createContainer(body)).resource;
    return eventually(async () => {
      const container = await harness.container(id);
      return container['nodeId'] === null ? undefined : container;
    }, 'the container is placed');
  };

  const set = async (name: string, desired: number): Promise<string> => {
    const body = { profile: 'nginx', name, desired, overrides: { resources: { cpus: 0.01, memoryMb: 1 } } };
    return (await harness.first.ask<CommandResult>('container-set', 'create', body)).resource.id;
  };
  const nodesOf = async (setId: string): Promise<readonly unknown[]> => {
    const { items } = await harness.first.ask<Page>('container', 'list', { limit: 9, filter: { setId } });
    return items.map(({ nodeId }) => nodeId).sort();
  };
  const eventuallyOn = (setId: string, nodes: readonly (string | null)[]): Promise<boolean> =>
    eventually(async () => JSON.stringify(await nodesOf(setId)) === JSON.stringify([...nodes].sort()), 'the places');
  const little = { resources: { cpus: 0.01, memoryMb: 1 } };

  it('the scorers of a cluster weigh its nodes, those of a set the nodes of its members only', async () => {
    const nodes = { n1: await harness.node('n1'), n2: await harness.node('n2') };
    await placed({ node: 'n1', resources: { cpus: 1.5, memoryMb: 100 } });
    await placed({ node: 'n2', resources: { cpus: 0.1, memoryMb: 7000 } });
    expect((await placed(little))['nodeId']).toBe(nodes.n1);
    const onlyCpu = { scorers: { leastCpu: 1, leastMemory: 0, spread: 0 } };
    const id = await set('web', 0);
    await attach('containerSet', 'web', 'placement', onlyCpu);
    await harness.first.ask('container-set', 'action', { id, action: 'resize', count: 1 });
    await eventuallyOn(id, [nodes.n2]);
    expect((await placed(little))['nodeId']).toBe(nodes.n1);
    await attach('cluster', 'alpha', 'placement', onlyCpu);
    expect((await placed(little))['nodeId']).toBe(nodes.n2);
  });

  it('places that a policy lists are the only ones, by the name of a node', async () => {
    await harness.node('n1');
    const n2 = await harness.node('n2');
    await attach('cluster', 'alpha', 'placement', { nodes: [{ node: 'n2' }] });
    for (let i = 0; i < 3; i++) expect((await placed(little))['nodeId']).toBe(n2);
  });

  it('members that must be apart never share a node, one created after the other', async () => {
    const nodes = [await harness.node('n1'), await harness.node('n2')];
    const id = await set('web', 0);
    await attach('containerSet', 'web', 'affinity', { rules: [{ kind: 'apart', by: 'node' }] }, 'apart');
    const resize = (count: number) => harness.first.ask('container-set', 'action', { id, action: 'resize', count });
    await resize(1);
    await eventually(async () => (await nodesOf(id))[0] ?? undefined, 'the first member');
    await resize(2);
    await eventuallyOn(id, nodes);
    await resize(3);
    const waiting = async () => {
      const { items } = await harness.first.ask<Page>('container', 'list', { limit: 9, filter: { setId: id } });
      return items.find(({ nodeId }) => nodeId === null);
    };
    const third = await eventually(async () => ((await waiting())?.['placement'] ? waiting() : undefined), 'a refusal');
    expect(JSON.stringify(third?.['placement'])).toContain('ANTI_AFFINITY');
    // what waits is placed when the policy ends, although nothing else changes
    await harness.first.ask('policy', 'detach', { id: 'apart', target: 'web', targetType: 'containerSet' });
    await eventually(async () => (await nodesOf(id)).every(nodeId => nodeId !== null), 'the third member is placed');
  });

  it('what is apart from others keeps them away, too', async () => {
    const [n1, n2] = [await harness.node('n1'), await harness.node('n2')];
    const id = await set('web', 0);
    const rules = [{ kind: 'apart', by: 'node', with: { labels: { app: 'batch' } } }];
    await attach('containerSet', 'web', 'affinity', { rules });
    await harness.first.ask('container-set', 'action', { id, action: 'resize', count: 1 });
    const at = await eventually(async () => (await nodesOf(id))[0] ?? undefined, 'the member');
    const other = at === n1 ? n2 : n1;
    for (let i = 0; i < 3; i++) expect((await placed({ ...little, labels: { app: 'batch' } }))['nodeId']).toBe(other);
  });

  it('a rule names a set by its name, which has to exist', async () => {
    const [n1] = [await harness.node('n1'), await harness.node('n2')];
    await placed({ node: 'n2', resources: { cpus: 0.1, memoryMb: 10 } });
    const db = await set('db', 1);
    const at = await eventually(async () => (await nodesOf(db))[0] ?? undefined, 'the other set');
    expect(at).toBe(n1);
    const near = (name: string) => ({ rules: [{ kind: 'together', by: 'node', with: { set: name } }] });
    await expect(attach('cluster', 'alpha', 'affinity', near('none'))).rejects.toMatchObject({
      error: { code: 'set-unknown', errors: [{ pointer: '/properties/rules/0/with/set' }] },
    });
    const web = await set('web', 0);
    await attach('containerSet', 'web', 'affinity', near('db'));
    await harness.first.ask('container-set', 'action', { id: web, action: 'resize', count: 3 });
    await eventuallyOn(web, [n1, n1, n1]);
  });

  it('only types with tests of their effects in the domain take effect', () => {
    const tested = ['placement', 'affinity', 'scaling', 'deletion', 'health', 'batch'];
    const acting = policyTypes.filter(type => Object.keys(policyEffects[type]).length > 0);
    expect(acting.filter(type => !tested.includes(type))).toEqual([]);
    const targets = policyTypes.flatMap(type => Object.values(policyEffects[type]).flat());
    expect([...new Set(targets)].sort()).toEqual(['cluster', 'containerSet', 'nodeGroup']);
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
});
