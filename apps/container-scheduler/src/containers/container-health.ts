import { expectedContainerUnit, observeContainer, type ContainerState } from '@stave/domain';
import type { HealthSource } from '@stave/service-kit';
import { containerTasks } from './container-tasks.js';
import type { SchedulerModels } from '../scheduler-models.js';

/** How containers take part in the watch over the infrastructure. */
export function containerHealth(models: SchedulerModels): HealthSource<ContainerState> {
  const { model, place, context } = containerTasks(models);
  return {
    model,
    place,
    context,
    observe: observeContainer,
    expected: (resourceId, state) => {
      const seen = expectedContainerUnit(state);
      const { generation, builtGeneration: built, nodeId } = state;
      return seen && { resourceId, generation, built, seen, ...(nodeId === undefined ? {} : { nodeId }) };
    },
  };
}
