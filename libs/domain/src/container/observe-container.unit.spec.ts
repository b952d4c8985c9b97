import type { Observation } from '../kernel/observation.js';
import { actOnContainer, deleteContainer } from './container-decider.js';
import type { ContainerState } from './container-state.js';
import { active, after, created, done, given, operation, placed, types } from './container.fixture.js';
import { expectedContainerUnit, observeContainer } from './observe-container.js';

const seen = (state: ContainerState, sight: Omit<Observation, 'generation'>): ContainerState =>
  after(state, observeContainer(state, { generation: state.generation, ...sight }));

it('a container that exited shows its exit code, and is stopped with code 0 or else failed', () => {
  expect(seen(active(), { state: 'stopped', exitCode: 0 })).toMatchObject({
    status: 'STOPPED',
    observed: { exitCode: 0 },
  });
  const failed = seen(active(), { state: 'stopped', exitCode: 137, restarts: 0 });
  expect(failed).toMatchObject({ status: 'FAILED', statusReason: 'it ended with exit code 137' });
  expect(types(observeContainer(failed, { generation: 1, state: 'stopped', exitCode: 137 }))).toEqual([]);
  const again = done(after(failed, actOnContainer(failed, { action: 'start', operation: operation('start') })));
  expect(again).toMatchObject({ status: 'ACTIVE' });
  expect(again.observed).toBeUndefined();
});

it('a container that its engine restarts stays active and counts the restarts', () => {
  const restarted = seen(active(), { state: 'running', exitCode: 1, restarts: 3 });
  expect(restarted).toMatchObject({ status: 'ACTIVE', observed: { restarts: 3, exitCode: 1 } });
  expect(expectedContainerUnit(restarted)).toEqual({ state: 'running', exitCode: 1, restarts: 3 });
});

it('a container that is missing from its node is failed, and a start creates it again', () => {
  const gone = seen(active(), { state: 'missing' });
  expect(gone).toMatchObject({ status: 'FAILED', builtGeneration: 0, nodeId: 'n1' });
  expect(expectedContainerUnit(gone)).toBeUndefined();
  const again = after(gone, actOnContainer(gone, { action: 'start', operation: operation('start') }));
  expect(again.work.wanted?.kind).toBe('container.create');
});

it('a container that was stopped on request stays stopped', () => {
  const stopped = done(after(active(), actOnContainer(active(), { action: 'stop', operation: operation('stop') })));
  expect(expectedContainerUnit(stopped)).toEqual({ state: 'stopped' });
  const reported = seen(stopped, { state: 'stopped', exitCode: 143 });
  expect(reported).toMatchObject({ status: 'STOPPED', observed: { exitCode: 143 } });
});

it('an observation of a container that began before a change is ignored', () => {
  const stopping = after(active(), actOnContainer(active(), { action: 'stop', operation: operation('stop') }));
  const deleting = after(active(), deleteContainer(active(), { operationId: 'x', reason: 'r' }));
  for (const state of [given(created), given(created, placed), stopping, deleting]) {
    expect(expectedContainerUnit(state)).toBeUndefined();
    expect(types(observeContainer(state, { generation: state.generation, state: 'missing' }))).toEqual([]);
  }
  expect(types(observeContainer(active(), { generation: 7, state: 'missing' }))).toEqual([]);
});
