import { describeAccess } from './access.suite.js';
import { describeBadInput } from './bad-input.suite.js';
import { describeChanges } from './changes.suite.js';
import { describeClusterActions } from './cluster-actions.suite.js';
import { describeClusters } from './clusters.suite.js';
import { describeConductorGroups } from './conductor-groups.suite.js';
import { describeContainers } from './containers.suite.js';
import { describeCreation } from './creation.suite.js';
import { describeEventSchemas } from './event-schemas.suite.js';
import { describeEvents } from './events.suite.js';
import { describeFailures } from './failures.suite.js';
import { describeHistory } from './history.suite.js';
import { describePast } from './past.suite.js';
import { describeLists } from './lists.suite.js';
import { describeNodeGroups } from './node-groups.suite.js';
import { describeNodes } from './nodes.suite.js';
import { describePlans } from './plan.suite.js';
import { describeReadModels } from './read-models.suite.js';
import { describeRolling } from './rolling.suite.js';
import { describeTemplateViews } from './template-views.suite.js';
import { describeTemplates } from './templates.suite.js';
import type { Stack, StackOf } from './stack.js';

const parts = [
  describeClusters,
  describeClusterActions,
  describeCreation,
  describeNodeGroups,
  describeNodes,
  describeRolling,
  describeContainers,
  describeConductorGroups,
  describeAccess,
  describeEvents,
  describeHistory,
  describePast,
  describeLists,
  describeBadInput,
  describeChanges,
  describeReadModels,
  describeTemplates,
  describeTemplateViews,
  describeFailures,
  describePlans,
  describeEventSchemas,
];

/** Runs every suite against one stack, which is started before and closed after them. */
export function describeProduct(start: () => Promise<Stack>): void {
  let running: Stack | undefined;
  const stack: StackOf = () => {
    if (!running) throw new Error('the stack did not start');
    return running;
  };
  beforeAll(async () => void (running = await start()));
  afterAll(() => running?.close());
  for (const part of parts) part(stack);
}
