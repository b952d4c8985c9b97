import type { JudgeRequest } from '@stave/contracts';
import type { SchedulerModels } from './scheduler-models.js';

/** What the container's stream says of a unit; one of a lower generation than stands is gone. What is no container is kept. */
export async function judgeContainer(
  models: SchedulerModels,
  unit: JudgeRequest['units'][number],
): Promise<'live' | 'gone' | 'never'> {
  if (unit.kind !== 'container') return 'live';
  const { state } = await models.containers.load(unit.resourceId);
  if (!state.declared) return 'never';
  return state.deleted || unit.generation < state.builtGeneration ? 'gone' : 'live';
}
