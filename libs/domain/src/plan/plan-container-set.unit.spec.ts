import { deleteContainerSet, updateContainerSet } from '../container-set/container-set-decider.js';
import type { ContainerSetEvent } from '../container-set/container-set-events.js';
import type { ContainerSetState } from '../container-set/container-set-state.js';
import { containerSetStream } from '../container-set/evolve-container-set.js';
import { MINUTE, runningSet } from '../container-set/running-set.fixture.js';
import { resizeContainerSet } from '../container-set/set-actions.js';
import { SetSimulation, source } from '../container-set/set-simulation.fixture.js';
import type { Decision } from '../kernel/decider.js';
import { instantOf } from '../kernel/instant.js';
import { planContainerSet, unsettledSet } from './plan-container-set.js';

/** Returns the steps of a change as `action name by reason`. */
function planned(set: SetSimulation, decide: (state: ContainerSetState) => Decision<ContainerSetEvent>): string[] {
  const decision = decide(set.state);
  if (!decision.ok) throw new Error(decision.refusal.code);
  const now = instantOf(set.now);
  const after = decision.events.reduce((s, event) => containerSetStream.evolve(s, event, now), set.state);
  const input = { members: (id: string) => set.view(id), now };
  const steps = [...planContainerSet({ before: set.state, after }, input)].flat();
  return steps.map(({ action, resource, by }) =>
    [action, resource.name?.replace(/-[0-9a-f]{5}$/, ''), by].join(' ').trim(),
  );
}

describe('the plan of a container set', () => {
  it('a creation creates each member', () => {
    const set = new SetSimulation({ desired: 2 });
    const input = { members: () => undefined, now: instantOf(set.now) };
    const steps = [...planContainerSet({ before: undefined, after: set.state }, input)].flat();
    expect(steps.map(s => [s.action, s.resource.name, s.reason])).toEqual([
      ['create', 'web-0', 'desired'],
      ['create', 'web-1', 'desired'],
    ]);
  });

  it('a rollout with a resize replaces the members there are and creates the others', () => {
    const set = runningSet({ desired: 2 });
    const changed = planned(set, s =>
      updateContainerSet(s, { changes: { desired: 3 }, source: source('web:2'), operationId: 'u' }),
    );
    expect(changed.sort()).toEqual(['create web-2', 'replace web-0 web-0', 'replace web-1 web-1']);
    expect(unsettledSet({ before: set.state, after: set.state })).toBeUndefined();
  });

  it('a smaller number removes the youngest and keeps the others, a deletion removes all', () => {
    const set = runningSet({ desired: 3 });
    const adjustment = { type: 'exact', number: 2 } as const;
    const smaller = planned(set, s => resizeContainerSet(s, { adjustment, operationId: 'r' }));
    expect(smaller).toEqual(['remove web-2', 'keep web-0', 'keep web-1']);
    const operation = { id: 'd', kind: 'container-set.delete', total: 3 };
    const deleted = planned(set, s => deleteContainerSet(s, { operationId: 'd', operation }));
    expect(deleted).toEqual(['remove web-0', 'remove web-1', 'remove web-2']);
  });

  it('a plan during a rollout says that it cannot be predicted', () => {
    const set = runningSet();
    set.roll('web:2');
    expect(unsettledSet({ before: set.state, after: set.state })).toBeDefined();
    set.run(MINUTE);
    expect(unsettledSet({ before: set.state, after: set.state })).toBeUndefined();
  });

  it('a large set is planned in few steps', () => {
    const set = runningSet({ desired: 2000, strategy: { maxSurge: 500 } });
    const steps = planned(set, s => updateContainerSet(s, { changes: {}, source: source('web:2'), operationId: 'u' }));
    expect(steps.filter(s => s.startsWith('replace'))).toHaveLength(2000);
  });
});
