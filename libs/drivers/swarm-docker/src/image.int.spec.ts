import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { hashOf, nodeRecipe } from './image.js';

it('image/build.sh makes the same image as the driver: its recipe has the same hash', async () => {
  const { stdout, stderr } = spawnSync(join(__dirname, '../image/build.sh'), ['--recipe'], { encoding: 'utf8' });
  expect({ stderr, recipe: stdout.trim() }).toEqual({ stderr: '', recipe: await hashOf(nodeRecipe) });
});
