import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { endWithThisProcess } from './end-with-this-process.js';

const listeners = (): number => process.listenerCount('exit');

function started(command: string): ChildProcess {
  const child = spawn(command, ['60'], { stdio: 'ignore' });
  endWithThisProcess(child);
  return child;
}

describe('children that end with this process', () => {
  it('have one listener together, which is removed with the last of them', async () => {
    const before = listeners();
    const children = Array.from({ length: 12 }, () => started('sleep'));
    expect(listeners()).toBe(before + 1);
    const ends = children.map(child => once(child, 'exit'));
    for (const child of children) child.kill();
    await Promise.all(ends);
    expect(listeners()).toBe(before);
  });

  it('are killed when this process exits', async () => {
    const before = process.listeners('exit');
    const child = started('sleep');
    const end = once(child, 'exit');
    const [added] = process.listeners('exit').filter(listener => !before.includes(listener));
    added?.(0);
    expect(await end).toEqual([null, 'SIGKILL']);
  });

  it('leave no listener when their program does not exist', async () => {
    const before = listeners();
    await once(started('/no/such/program'), 'error');
    expect(listeners()).toBe(before);
  });
});
