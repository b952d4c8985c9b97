import fc from 'fast-check';
import type { Decision } from '../kernel/decider.js';
import type { Observation } from '../kernel/observation.js';
import { actOnContainer, deleteContainer, retryContainer, updateContainer } from './container-decider.js';
import type { ContainerEvent } from './container-events.js';
import type { ContainerState } from './container-state.js';
import { active, claimed, explanation, operation, reported } from './container.fixture.js';
import { containerStream } from './evolve-container.js';
import { acceptContainerLoss, lossSuspicionAfter, observeContainer } from './observe-container.js';
import { evictContainer, placeContainer } from './schedule-container.js';

type Step = (state: ContainerState) => Decision<ContainerEvent>;

const seen =
  (observation: Omit<Observation, 'generation'>): Step =>
  state =>
    observeContainer(state, { generation: state.generation, ...observation });
const none: Decision<ContainerEvent> = { ok: true, events: [] };
const report =
  (outcome?: Parameters<typeof reported>[1]): Step =>
  state =>
    isOpen(state) ? reported(state, outcome) : none;
const isOpen = ({ work }: ContainerState): boolean =>
  work.wanted !== undefined && work.wanted.retriesExhausted !== true;

const steps: Readonly<Record<string, Step>> = {
  suspected: seen({ state: 'missing', suspected: 'mass-loss' }),
  missing: seen({ state: 'missing' }),
  running: seen({ state: 'running' }),
  stopped: seen({ state: 'stopped', exitCode: 1 }),
  accepted: state => acceptContainerLoss(state, 1),
  start: state => actOnContainer(state, { action: 'start', operation: operation('start') }),
  stop: state => actOnContainer(state, { action: 'stop', operation: operation('stop') }),
  restart: state => actOnContainer(state, { action: 'restart', operation: operation('restart') }),
  labels: state => updateContainer(state, { changes: { labels: { l: 'x' } }, operation: operation('update') }),
  limits: state => updateContainer(state, { changes: { resources: { cpus: 3 } }, operation: operation('update') }),
  evicted: state => evictContainer(state, { nodeId: 'n1', reason: 'drained' }),
  placed: state => placeContainer(state, { nodeId: 'n1', explanation }),
  retried: state => retryContainer(state, { operation: operation('retry') }),
  done: report(),
  failed: report({ type: 'failed', failure: 'permanent', message: 'no' } as Parameters<typeof reported>[1]),
  deleted: state => deleteContainer(state, { operationId: 'd', reason: 'r' }),
};

/** Work is mostly completed, so that the container is observed again. */
const step = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...Object.keys(steps)) },
  { weight: 3, arbitrary: fc.constantFrom('done', 'placed', 'running', 'suspected') },
);

it('whether a loss is suspected follows from single events, after any sequence of requests and observations', () => {
  let suspicions = 0;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), names => {
      let state = active();
      let tracked = false;
      for (const name of names) {
        if (isOpen(state) && ['done', 'failed'].includes(name)) state = claimed(state);
        const decision = steps[name]?.(state) ?? none;
        for (const event of decision.ok ? decision.events : []) {
          state = containerStream.evolve(state, event, '2026-01-01T00:00:00Z');
          tracked = lossSuspicionAfter(event) ?? tracked;
          if (tracked) suspicions += 1;
          expect(state.suspectedLoss !== undefined).toBe(tracked);
          // nothing is built or failed by itself while a loss is suspected
          if (tracked) expect([state.status, state.work.wanted]).toEqual(['UNREACHABLE', undefined]);
        }
      }
    }),
    { numRuns: 500 },
  );
  expect(suspicions).toBeGreaterThan(50);
});
