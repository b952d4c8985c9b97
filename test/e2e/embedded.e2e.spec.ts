import { describeBadInput } from './bad-input.suite.js';
import { describeClusters } from './clusters.suite.js';
import { describeNodeGroups } from './node-groups.suite.js';
import { describeNodes } from './nodes.suite.js';
import { startEmbedded, type Stack } from './stack.js';

jest.setTimeout(60_000);

describe('the product in one process', () => {
  let running: Stack | undefined;
  const stack = (): Stack => {
    if (!running) throw new Error('the stack did not start');
    return running;
  };
  beforeAll(async () => void (running = await startEmbedded()));
  afterAll(() => running?.close());

  describeClusters(stack);
  describeNodeGroups(stack);
  describeNodes(stack);
  describeBadInput(stack);
});
