import 'reflect-metadata';
import { run } from './bench-report.js';
import { benchAutoscaledSets } from './autoscaled-sets.js';
import { benchGrownGroups } from './grown-groups.js';

/**
 * `npm run bench -- autoscale [--sets 40] [--members 10]` measures how long after a change of the load container sets are resized, and the CPU of one
 * evaluation at 50 members; then the decision which of 200 node groups grow in a cluster of 5,000 nodes.
 */
run(async () => {
  await benchAutoscaledSets(process.argv.slice(2));
  benchGrownGroups();
});
