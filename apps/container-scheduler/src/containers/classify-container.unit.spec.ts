import { containerStream, type ContainerDeclaration, type ContainerState } from '@stave/domain';
import type { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { classifyContainer } from './container.tasks.js';

/** A projection that knows one container in this state. */
function projectionWith(state: ContainerState): SchedulerProjection {
  const entry = { state, streamRevision: 0, position: 0, lastId: '' };
  return { containers: { get: () => state, load: async () => entry } } as unknown as SchedulerProjection;
}

const data = { id: 'c1' } as ContainerDeclaration;
const created = containerStream.evolve(undefined, { type: 'ContainerCreated', data }, '') as ContainerState;
const evicted: ContainerState = { ...created, generation: 2, status: 'UNSCHEDULABLE' };
const unit = (generation: number) => ({ kind: 'container', resourceId: 'c1', generation }) as const;

describe('classifyContainer', () => {
  it('classifies as gone the unit that a late create left after its container was evicted', async () => {
    expect(await classifyContainer(projectionWith(evicted))(unit(1))).toBe('gone');
    expect(await classifyContainer(projectionWith(evicted))(unit(2))).toBe('gone');
  });

  it('keeps the unit of a generation that is newer than this process knows', async () => {
    expect(await classifyContainer(projectionWith(evicted))(unit(3))).toBe('live');
  });

  it('keeps the unit that is under construction once the container has a node again', async () => {
    const placed: ContainerState = { ...evicted, nodeId: 'n1', generation: 3, status: 'CREATING' };
    expect(await classifyContainer(projectionWith(placed))(unit(3))).toBe('live');
  });
});
