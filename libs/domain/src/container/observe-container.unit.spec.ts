import type { Observation } from '../kernel/observation.js';
import { actOnContainer, deleteContainer, updateContainer } from './container-decider.js';
import type { ContainerState } from './container-state.js';
import { active, after, created, done, given, operation, placed, types } from './container.fixture.js';
import {
  acceptContainerLoss,
  expectedContainerUnit,
  isContainerLossAccepted,
  observeContainer,
} from './observe-container.js';
import { evictContainer } from './schedule-container.js';

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
  expect(gone).toMatchObject({ status: 'FAILED', statusReason: 'it is not on its node any more', nodeId: 'n1' });
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

describe('a container that was reported missing', () => {
  const gone = seen(active(), { state: 'missing' });

  it('is in service again when it is seen again, since its unit may only have been hidden', () => {
    expect(expectedContainerUnit(gone)).toEqual({ state: 'missing' });
    expect(types(observeContainer(gone, { generation: gone.generation, state: 'missing' }))).toEqual([]);
    const back = seen(gone, { state: 'running', restarts: 2 });
    expect(back).toMatchObject({ status: 'ACTIVE', observed: { restarts: 2 } });
    expect(back.statusReason).toBeUndefined();
    const ended = seen(gone, { state: 'stopped', exitCode: 3 });
    expect(ended).toMatchObject({ status: 'FAILED', statusReason: 'it ended with exit code 3' });
  });

  it('is not expected any more after an update, which its hidden unit does not have', () => {
    const changes = { resources: { memoryMb: 50 } };
    const updated = after(gone, updateContainer(gone, { changes, operation: operation('update') }));
    expect(updated).toMatchObject({ status: 'FAILED', operations: [], contents: { resources: { memoryMb: 50 } } });
    expect(expectedContainerUnit(updated)).toBeUndefined();
    const started = after(updated, actOnContainer(updated, { action: 'start', operation: operation('start') }));
    expect(started.work.wanted?.kind).toBe('container.create');
  });
});

describe('a container whose loss is suspected', () => {
  const missing = (state: ContainerState): Observation => {
    return { generation: state.generation, state: 'missing', suspected: 'mass-loss' };
  };
  const suspect = after(active(), observeContainer(active(), missing(active()), 2));

  it('is unreachable and has not failed', () => {
    expect(suspect).toMatchObject({ status: 'UNREACHABLE', nodeId: 'n1', suspectedLoss: { acceptances: 2 } });
    expect(suspect.statusReason).toMatch(/^mass-loss-suspected: /);
    expect(expectedContainerUnit(suspect)).toEqual({ state: 'missing' });
    for (const again of [missing(suspect), { generation: suspect.generation, state: 'missing' } as const])
      expect(types(observeContainer(suspect, again, 3))).toEqual([]);
  });

  it('is in service again when it is seen again, running, stopped or restarted as before', () => {
    const running = seen(suspect, { state: 'running' });
    expect(running).toMatchObject({ status: 'ACTIVE' });
    expect([running.suspectedLoss, running.statusReason]).toEqual([undefined, undefined]);
    const ended = seen(active(), { state: 'stopped', exitCode: 9, restarts: 3 });
    const hidden = after(ended, observeContainer(ended, missing(ended)));
    expect(hidden).toMatchObject({ status: 'UNREACHABLE', observed: { exitCode: 9, restarts: 3 } });
    const back = seen(hidden, { state: 'stopped', exitCode: 9, restarts: 3 });
    expect(back).toMatchObject({ status: 'FAILED', statusReason: 'it ended with exit code 9' });
    const restarted = seen(active(), { state: 'running', exitCode: 1, restarts: 3 });
    const lost = after(restarted, observeContainer(restarted, missing(restarted)));
    expect(seen(lost, { state: 'running', restarts: 3 })).toMatchObject({ observed: { exitCode: 1, restarts: 3 } });
  });

  it('fails when a later loss is accepted, and not by an acceptance before', () => {
    expect(isContainerLossAccepted(suspect, 2)).toBe(false);
    expect(types(acceptContainerLoss(suspect, 2))).toEqual([]);
    const lost = after(suspect, acceptContainerLoss(suspect, 3));
    expect(lost).toMatchObject({ status: 'FAILED', statusReason: 'it is not on its node any more' });
    expect(lost.suspectedLoss).toBeUndefined();
    expect(types(acceptContainerLoss(lost, 4))).toEqual([]);
  });

  it('is created again, moved or deleted when an operator requests it', () => {
    const started = after(suspect, actOnContainer(suspect, { action: 'start', operation: operation('start') }));
    expect(started.work.wanted?.kind).toBe('container.create');
    const evicted = after(suspect, evictContainer(suspect, { nodeId: 'n1', reason: 'drained' }));
    const deleting = after(suspect, deleteContainer(suspect, { operationId: 'x', reason: 'r' }));
    for (const state of [evicted, deleting]) expect(state.work.wanted?.kind).toBe('container.delete');
    for (const state of [started, evicted, deleting]) {
      expect(state.suspectedLoss).toBeUndefined();
      expect(types(acceptContainerLoss(state, 9))).toEqual([]);
    }
  });

  it('refuses new limits, which its hidden unit would not have', () => {
    const request = { operation: operation('update') };
    expect(types(updateContainer(suspect, { ...request, changes: { resources: { cpus: 2 } } }))).toBe('busy');
    expect(types(updateContainer(suspect, { ...request, changes: { labels: { x: 'y' } } }))).toEqual([
      'ContainerUpdated',
    ]);
  });
});
