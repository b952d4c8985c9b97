import 'reflect-metadata';
import { run } from './bench-report.js';
import { benchAutoscaledSets } from './autoscaled-sets.js';

/**
 * `npm run bench -- autoscale [--sets 40] [--members 10]` measures how long after a change of the load container sets are resized, and the CPU of one
 * evaluation at 50 members.
 */
run(async () => {
  await benchAutoscaledSets(process.argv.slice(2));
});
