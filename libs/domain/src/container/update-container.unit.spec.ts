import { actOnContainer, updateContainer } from './container-decider.js';
import { active, after, claimed, created, done, given, operation, reported, types } from './container.fixture.js';

const bigger = { resources: { cpus: 2 }, restartPolicy: 'always' } as const;

it('an update of a container merges labels at once, and null removes one', () => {
  const labelled = after(
    active(),
    updateContainer(active(), { changes: { labels: { a: null, b: '2' } }, operation: operation('update') }),
  );
  expect(labelled).toMatchObject({ contents: { labels: { b: '2' } }, operations: [], work: {}, status: 'ACTIVE' });
  expect(types(updateContainer(labelled, { changes: { labels: { b: '2' } }, operation: operation('update') }))).toEqual(
    [],
  );
});

it('an update of limits and restart policy is applied on the node, and keeps the other values', () => {
  const changing = after(active(), updateContainer(active(), { changes: bigger, operation: operation('update') }));
  expect(changing).toMatchObject({ status: 'UPDATING', work: { wanted: { kind: 'container.update', generation: 2 } } });
  expect(changing.contents).toMatchObject({ resources: { cpus: 2, memoryMb: 100 }, restartPolicy: 'always' });
  expect(types(reported(claimed(changing)))).toEqual(['TaskCompleted', 'ContainerBecameActive', 'OperationEnded']);
  const changed = done(changing);
  expect(changed).toMatchObject({ status: 'ACTIVE', builtGeneration: 1, operations: [] });
  expect(types(updateContainer(changed, { changes: bigger, operation: operation('update') }))).toEqual([]);
});

it('an update leaves a stopped container stopped', () => {
  const stopped = done(after(active(), actOnContainer(active(), { action: 'stop', operation: operation('stop') })));
  expect(
    done(after(stopped, updateContainer(stopped, { changes: bigger, operation: operation('update') }))).status,
  ).toBe('STOPPED');
});

it('an update that the node refuses changes only the labels', () => {
  const both = { ...bigger, labels: { b: '2' } };
  const changing = claimed(
    after(active(), updateContainer(active(), { changes: both, operation: operation('update') })),
  );
  const refused = reported(changing, { type: 'failed', failure: 'permanent', message: 'too small' });
  expect(types(refused)).toEqual(['TaskFailed', 'OperationEnded']);
  const state = after(changing, refused);
  expect(state).toMatchObject({ status: 'ACTIVE', statusReason: 'too small', work: {}, operations: [] });
  expect(state.contents).toMatchObject({
    resources: { cpus: 1, memoryMb: 100 },
    restartPolicy: 'no',
    labels: { b: '2' },
  });
});

it('an update needs no task while the container is pending, and is refused as busy during other work', () => {
  const waiting = given(created);
  expect(types(updateContainer(waiting, { changes: bigger, operation: operation('update') }))).toEqual([
    'ContainerUpdated',
    'OperationEnded',
  ]);
  const stopping = after(active(), actOnContainer(active(), { action: 'stop', operation: operation('stop') }));
  expect(types(updateContainer(stopping, { changes: bigger, operation: operation('update') }))).toBe('busy');
  expect(types(updateContainer(active(), { changes: bigger, operation: operation('update'), ifMatch: 9 }))).toBe(
    'revision-mismatch',
  );
});
