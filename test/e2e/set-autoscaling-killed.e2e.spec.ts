import { Fleet } from './fleet.js';
import { ScaledSet } from './scaled-set.js';
import { EmbeddedStack } from './stack.js';

jest.setTimeout(240_000);

it('a set follows its load after SIGKILL, and keeps its members until fewer were enough for the whole window again', async () => {
  let running = await EmbeddedStack.start();
  try {
    const first = await ScaledSet.create(new Fleet(running), 1.2, { scaleIn: { stabilisationSeconds: 15 } });
    await first.has(3);
    await first.is('the third member is sampled', ({ metrics }) => metrics[0]?.known === 3);
    await first.load(0.3);
    await first.is('fewer would be enough', ({ recommended }) => recommended === 1);
    await running.end('SIGKILL');
    running = await EmbeddedStack.start(running.dataDir);
    const startedAt = Date.now();
    const set = first.over(new Fleet(running));
    await set.has(1);
    // the window begins again: nothing of what was evaluated before counts
    expect(Date.now() - startedAt).toBeGreaterThan(15_000);
    await set.load(2);
    await set.is('more members after another change of the load', ({ desired }) => desired > 1);
  } finally {
    await running.end('SIGKILL');
  }
});
