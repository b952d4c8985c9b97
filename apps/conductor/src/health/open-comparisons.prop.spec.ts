import fc from 'fast-check';
import type { ExpectedUnit } from '@stave/contracts';
import type { Unit } from '@stave/driver-sdk';
import { compareContainers } from './compare-units.js';
import { ExpectedUnits } from './expected-units.js';
import { ListedUnits } from './listed-units.js';
import { OpenComparisons } from './open-comparisons.js';

const scope = { conductor: 'one', session: 's', epoch: 1, holdings: [{ key: 'k', version: '1' }], max: 1_000 };
const id = fc.integer({ min: 0, max: 7 }).map(n => `c${n}`);
const nodeId = fc.constantFrom('n0', 'n1');
const state = fc.constantFrom('running' as const, 'stopped' as const, 'creating' as const);
const health = fc.constantFrom(undefined, 'healthy' as const, 'unhealthy' as const);
const expectedUnit = fc.record({ resourceId: id, generation: fc.nat(3), nodeId, seen: fc.record({ state, health }) });
const container = fc.record({ resourceId: id, generation: fc.nat(1), state, restarts: fc.nat(2), health });
const node = fc.record({ resourceId: nodeId, state, containersUnknown: fc.boolean() });

/** What happens between two checks, and whether the second one fails before it has compared. */
const step = fc.record({
  units: fc.uniqueArray(expectedUnit, { selector: unit => unit.resourceId, maxLength: 4 }),
  gone: fc.array(id, { maxLength: 2 }),
  listsAgain: fc.boolean(),
  containers: fc.array(container, { maxLength: 8 }),
  nodes: fc.array(node, { maxLength: 2 }),
  fails: fc.boolean(),
});

const asExpected = ({ seen, ...unit }: { seen: { state: 'running' | 'stopped' | 'creating' } & object } & object) =>
  ({ ...unit, built: 1, seen: { ...seen, state: seen.state === 'creating' ? 'missing' : seen.state } }) as ExpectedUnit;
const asUnit =
  (kind: Unit['kind']) =>
  (unit: object): Unit =>
    ({ infrastructureId: 'i', clusterId: 'c', generation: 1, ...unit, kind }) as Unit;

it('the units that are compared again have every difference and every absence that a comparison of all units has', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async steps => {
      const expected = new ExpectedUnits();
      const listed = new ListedUnits('container');
      const comparisons = new OpenComparisons(expected, listed);
      await expected.refresh(scope, async () => ({ units: [], position: 0 }));
      let list: readonly Unit[] = [];
      for (const { units, gone, listsAgain, containers, nodes, fails } of steps) {
        const left = gone.filter(each => units.every(unit => unit.resourceId !== each));
        await expected.refresh(scope, async () => ({ units: units.map(asExpected), gone: left, position: 1 }));
        if (!listsAgain) list = [...nodes.map(asUnit('node')), ...containers.map(asUnit('container'))];
        listed.take(list);
        const compared = comparisons.next();
        if (fails) continue;
        const differing = compareContainers(compared, listed);
        const all = [...expected.all()];
        expect(new Set(differing)).toEqual(new Set(compareContainers(all, listed)));
        const absent = (of: readonly ExpectedUnit[]) => new Set(of.filter(each => !listed.has(each.resourceId)));
        expect(absent(compared)).toEqual(absent(all));
        comparisons.completed(compared, differing);
      }
    }),
  );
});

it('a check of what did not change compares nothing', async () => {
  const expected = new ExpectedUnits();
  const listed = new ListedUnits('node');
  const comparisons = new OpenComparisons(expected, listed);
  const ids = Array.from({ length: 1_000 }, (_, i) => `n${i}`);
  const units = ids.map((resourceId): ExpectedUnit => ({
    resourceId,
    generation: 1,
    built: 1,
    seen: { state: 'running' },
  }));
  await expected.refresh(scope, async () => ({ units, position: 1 }));
  const list = ids.map(resourceId => asUnit('node')({ resourceId, state: 'running' }));
  const compared = (): number => {
    listed.take(list);
    const now = comparisons.next();
    comparisons.completed(now, []);
    return now.length;
  };
  expect([compared(), compared()]).toEqual([1_000, 0]);
  list.splice(3, 1);
  expect([compared(), compared()]).toEqual([1, 1]);
});
