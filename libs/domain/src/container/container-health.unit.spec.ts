import type { Observation } from '../kernel/observation.js';
import { setMemberView } from '../container-set/set-member-view.js';
import { actOnContainer, repairContainer, updateContainer } from './container-decider.js';
import type { ContainerDeclaration, ContainerEvent } from './container-events.js';
import { healthOf, type ContainerState } from './container-state.js';
import { active, after, created, declaration, done, given, operation, placed, types } from './container.fixture.js';
import { completeContents } from './container-spec.js';
import { expectedContainerUnit, observeContainer } from './observe-container.js';
import { evictContainer } from './schedule-container.js';

const healthCheck = { command: ['true'] };
const checked: ContainerDeclaration = { ...declaration, contents: { ...declaration.contents, healthCheck } };
const built = (): ContainerState => done(given({ type: 'ContainerCreated', data: checked }, placed));
const sight = (state: ContainerState, seen: Partial<Observation>): Observation => {
  return { generation: state.generation, state: 'running', ...seen };
};
const seen = (state: ContainerState, observation: Partial<Observation>): ContainerState =>
  after(state, observeContainer(state, sight(state, observation)));

it('the health of a container is an event per change, and starting after each start', () => {
  expect(healthOf(given({ type: 'ContainerCreated', data: checked }, placed))).toBe('unknown');
  const starting = built();
  expect(healthOf(starting)).toBe('starting');
  const decision = observeContainer(starting, sight(starting, { health: 'healthy' }));
  expect(decision).toEqual({ ok: true, events: [{ type: 'ContainerHealthChanged', data: { health: 'healthy' } }] });
  const healthy = after(starting, decision);
  expect(healthOf(healthy)).toBe('healthy');
  expect(types(observeContainer(healthy, sight(healthy, { health: 'healthy' })))).toEqual([]);
  expect(healthOf(seen(healthy, { health: 'unhealthy' }))).toBe('unhealthy');
  expect(healthOf(seen(healthy, { health: 'unknown' }))).toBe('unknown');
  const restarted = done(
    after(healthy, actOnContainer(healthy, { action: 'restart', operation: operation('restart') })),
  );
  expect(healthOf(restarted)).toBe('starting');
});

it('a container without a health check has the health none, whatever is observed', () => {
  expect(healthOf(active())).toBe('none');
  expect(healthOf(given(created))).toBe('none');
  expect(types(observeContainer(active(), sight(active(), { health: 'unhealthy' })))).toEqual([]);
  expect(expectedContainerUnit(active())).toEqual({ state: 'running' });
});

it('conductors compare with the last known health of a running container', () => {
  expect(expectedContainerUnit(built())).toEqual({ state: 'running', health: 'starting' });
  const healthy = seen(built(), { health: 'healthy' });
  expect(expectedContainerUnit(healthy)).toEqual({ state: 'running', health: 'healthy' });
});

it('a conductor of an earlier release, which says nothing of health, changes nothing', () => {
  const healthy = seen(built(), { health: 'healthy' });
  expect(types(observeContainer(healthy, sight(healthy, {})))).toEqual([]);
});

it('a run that ends takes its health with it, and a change of limits keeps it', () => {
  const healthy = seen(built(), { health: 'healthy' });
  const ended = seen(healthy, { state: 'stopped', exitCode: 3 });
  expect([ended.status, healthOf(ended)]).toEqual(['FAILED', 'unknown']);
  expect(expectedContainerUnit(ended)).toEqual({ state: 'stopped', exitCode: 3 });
  const again = seen(ended, { health: 'starting' });
  expect([again.status, healthOf(again)]).toEqual(['ACTIVE', 'starting']);
  const suspected = after(
    healthy,
    observeContainer(healthy, sight(healthy, { state: 'missing', suspected: 'mass-loss' })),
  );
  expect(healthOf(suspected)).toBe('unknown');
  const stopped = done(after(healthy, actOnContainer(healthy, { action: 'stop', operation: operation('stop') })));
  expect(healthOf(stopped)).toBe('unknown');
  const moved = done(after(healthy, evictContainer(healthy, { nodeId: 'n1', reason: 'drained' })));
  expect(healthOf(moved)).toBe('unknown');
  const changes = { resources: { cpus: 2 } };
  const updated = done(after(healthy, updateContainer(healthy, { changes, operation: operation('update') })));
  expect(healthOf(updated)).toBe('healthy');
});

it('contents of earlier releases get the defaults of what they lack', () => {
  const before: ContainerEvent = { type: 'ContainerCreated', data: checked };
  expect(completeContents(given(before).contents)).toMatchObject({
    pullPolicy: 'ifMissing',
    stopGraceSeconds: 10,
    movable: true,
    healthCheck: { command: ['true'], intervalSeconds: 30, timeoutSeconds: 5, retries: 3, startPeriodSeconds: 0 },
  });
  const own = { ...declaration.contents, pullPolicy: 'never', stopGraceSeconds: 0, movable: false } as const;
  expect(completeContents(own)).toEqual(own);
});

it('a set finds failing health checks, failures and failed nodes; unknown and starting are nothing', () => {
  const found = (state: ContainerState, around = {}) => setMemberView(state, around).unhealthy?.by;
  const of = (health: Observation['health']) => seen(built(), health === undefined ? {} : { health });
  expect(found(of('unhealthy'))).toBe('healthCheck');
  const others = [of('unknown'), of('healthy'), built(), active()];
  expect(others.map(state => found(state))).toEqual([undefined, undefined, undefined, undefined]);
  expect(found(seen(built(), { state: 'stopped', exitCode: 1 }))).toBe('status');
  expect(found(active(), { nodeFailure: 'it cannot be rebooted' })).toBe('node');
  const isFixed = (state: ContainerState) => {
    const fixed = { ...state, contents: { ...state.contents, movable: false } };
    return [state, fixed].map(s => setMemberView(s).unhealthy?.isFixed);
  };
  expect(isFixed(of('unhealthy'))).toEqual([undefined, true]);
  // what has failed does not run, and may be replaced anywhere
  expect(isFixed(seen(built(), { state: 'stopped', exitCode: 1 }))).toEqual([undefined, undefined]);
});

it('a repair starts or builds the container again on its node, once for each generation', () => {
  const unhealthy = seen(built(), { health: 'unhealthy' });
  for (const [action, kind] of [
    ['restart', 'container.restart'],
    ['recreate', 'container.create'],
  ] as const) {
    const request = { do: action, reason: 'not healthy', operationId: 'o', generation: unhealthy.generation };
    const repairing = after(unhealthy, repairContainer(unhealthy, request));
    expect([repairing.work.wanted?.kind, repairing.nodeId, repairing.status]).toEqual([kind, 'n1', 'UPDATING']);
    expect(types(repairContainer(repairing, request))).toEqual([]);
    expect(done(repairing)).toMatchObject({ status: 'ACTIVE', health: 'starting', nodeId: 'n1' });
  }
});
