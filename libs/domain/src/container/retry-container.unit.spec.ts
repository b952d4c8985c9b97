import { AT, foldAll, given } from '../kernel/given.fixture.js';
import type { TaskOutcome } from '../task/decide-task.js';
import { doneOf } from '../task/task-outcomes.fixture.js';
import { deleteContainer, retryContainer } from './container-decider.js';
import type { ContainerEvent } from './container-events.js';
import type { ContainerState, ContainerTaskKind } from './container-state.js';
import { containerStream } from './evolve-container.js';
import { reportContainerTask } from './schedule-container.js';

const container = containerStream;
const operation = (id: string, kind: string) => ({ id, kind, total: 1 });
const created: ContainerEvent = {
  type: 'ContainerCreated',
  data: {
    id: 'x',
    name: 'x',
    projectId: 'p',
    profileId: 'q',
    clusterId: 'c',
    contents: { image: 'nginx', labels: {}, resources: {} } as never,
    operation: operation('create', 'container.create'),
  },
};
const placed: ContainerEvent = { type: 'ContainerPlaced', data: { nodeId: 'n', explanation: {} as never } };
const broken: TaskOutcome<ContainerTaskKind> = { type: 'failed', failure: 'permanent', message: 'no' };
const done = 'done';

class Story {
  state: ContainerState = foldAll(containerStream, [created]);
  readonly log: ContainerEvent[] = [created];

  then(decision: { readonly ok: boolean; readonly events?: readonly ContainerEvent[] }): this {
    expect(decision.ok).toBe(true);
    for (const event of decision.events ?? []) {
      this.state = containerStream.evolve(this.state, event, AT);
      this.log.push(event);
    }
    return this;
  }

  work(outcome: TaskOutcome<ContainerTaskKind> | 'done'): this {
    const { taskId, kind, generation, attempt } = this.state.work.wanted!;
    const holder = { conductor: 'c', session: 's', attempt: attempt + 1 };
    this.then({ ok: true, events: [{ type: 'TaskClaimed', data: { taskId, kind, generation, epoch: 0, ...holder } }] });
    return this.then(
      reportContainerTask({ taskId, ...holder, outcome: outcome === 'done' ? doneOf(kind) : outcome }, this.state),
    );
  }

  retry(): this {
    return this.then(retryContainer(this.state, { operation: operation('again', 'any') }));
  }
}
const begun = () => new Story().then({ ok: true, events: [placed] });
const ended = (status: string) => ({ type: 'OperationEnded', data: { operationId: 'again', status } });

it('a retry builds a container that could not be built, and ends with the build', () => {
  const built = begun().work(broken).retry();
  expect(built.state).toMatchObject({ status: 'CREATING', operations: [{ id: 'again', kind: 'container.retry' }] });
  expect(built.work(done).state).toMatchObject({ status: 'ACTIVE', operations: [] });
  expect(built.log.at(-1)).toMatchObject(ended('SUCCEEDED'));
});

it('a retry removes a container that could not be removed, and the retry of other work is cancelled with it', () => {
  const remove = { operationId: 'bye', operation: operation('bye', 'container.delete'), reason: 'r' };
  const built = begun().work(done);
  built.then(deleteContainer(built.state, { ...remove })).work(broken);
  expect(built.log.at(-1)).toMatchObject({ data: { operationId: 'bye', status: 'FAILED' } });
  expect(built.state).toMatchObject({ status: 'DELETING', statusReason: 'no' });
  built.retry().work(done);
  expect(built.state).toMatchObject({ deleted: true, operations: [] });
  expect(built.log.at(-1)).toMatchObject(ended('SUCCEEDED'));

  const other = begun().work(broken).retry();
  other.then(deleteContainer(other.state, { ...remove })).work(done);
  expect(other.log).toContainEqual(ended('CANCELLED'));
});

it('a retry of a container is refused when nothing failed permanently', () => {
  given(container, created, placed)
    .when(s => retryContainer(s, { operation: operation('again', 'any') }))
    .thenRefused('nothing-to-retry');
});
