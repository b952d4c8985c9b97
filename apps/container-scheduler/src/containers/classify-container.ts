import type { OrphanVerdictRequest } from '@stave/contracts';
import type { ContainerState } from '@stave/domain';
import type { SchedulerModels } from '../scheduler-models.js';

/** What the container's stream says of a unit, where this process does not know it to live; one of a lower generation than stands is gone. What is no container is kept. */
export async function classifyContainer(
  models: SchedulerModels,
  unit: OrphanVerdictRequest['units'][number],
): Promise<'live' | 'gone' | 'never'> {
  if (unit.kind !== 'container') return 'live';
  const known = models.containers.get(unit.resourceId);
  if (known && verdictOn(known, unit.generation) === 'live') return 'live';
  return verdictOn((await models.containers.load(unit.resourceId)).state, unit.generation);
}

function verdictOn(state: ContainerState, generation: number): 'live' | 'gone' | 'never' {
  if (!state.declared) return 'never';
  return state.deleted || generation < state.builtGeneration ? 'gone' : 'live';
}
