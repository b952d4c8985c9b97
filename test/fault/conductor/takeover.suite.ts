import { takeoverOfWork } from '@stave/domain/testing';
import { eventually } from '@stave/testing';
import type { DistributedStack } from '../../distributed/stack.js';
import { factOf, numberIn, textIn, type History, type HistoryEvent } from '../history.js';
import { journalOf, readHistory } from '../read-history.js';
import { TakeoverHarness } from './takeover-harness.js';
import { changesOf, kindsOf, resourceName, taskRows, type TaskRow } from './takeover-rows.js';
import { TakeoverScenario } from './takeover-scenario.js';

/**
 * Checks every row of the takeover table with a real SIGKILL of one conductor, which works on one resource for each
 * row.
 */
export function describeTakeover(stack: () => DistributedStack): void {
  describe('the takeover table', () => {
    let harness: TakeoverHarness;
    let scenario: TakeoverScenario;
    /** The history when all claimed tasks are completed, or when the wait has timed out. */
    let history: History;

    beforeAll(async () => {
      harness = await TakeoverHarness.open(stack(), 'rows');
      scenario = new TakeoverScenario(harness);
      await scenario.run();
      await harness.addSuccessor();
      const deadline = performance.now() + 300_000;
      await eventually(
        async () => {
          const events = await harness.events();
          const played = taskRows.filter(row => idOf(row) !== '');
          const done = played.every(row => events.some(isEndOf(row.kind, idOf(row))));
          return done || performance.now() > deadline;
        },
        { timeoutMs: 330_000, everyMs: 300, what: 'the tasks of all rows are completed' },
      );
      // reads the history again, because readHistory reads the journal first and may lack the last changes
      history = await readHistory(harness.stack);
    }, 600_000);

    afterAll(() => harness?.close());

    const idOf = (row: TaskRow): string => scenario.resourceOf(row);
    const roleOf = (conductor: string | undefined): string =>
      conductor === harness.victim.name ? 'victim' : 'successor';
    const claimsOf = (events: readonly HistoryEvent[]): string[] =>
      events
        .filter(event => factOf(event) === 'taskClaimed')
        .map(event => `${roleOf(textIn(event, 'conductor'))} ${textIn(event, 'kind')} ${numberIn(event, 'attempt')}`);
    const changes = (
      operation: string,
      resourceId: string,
      { journal }: Pick<History, 'journal'> = history,
    ): string[] =>
      journal
        .filter(({ caller, resourceId: of }) => caller.operation === operation && of === resourceId)
        .flatMap(({ effect, caller }) => (effect === undefined ? [] : [`${roleOf(caller.conductor)} ${effect}`]));

    it.each(taskRows)('the successor of a killed conductor completes $kind from the progress $reached', row => {
      const { kind } = row;
      const id = idOf(row);
      // an empty id means that TakeoverScenario does not cover this task kind yet
      expect(id).not.toBe('');
      const events = history.events.filter(({ subject }) => subject === resourceName(kind, id));
      expect(claimsOf(events).filter(claim => claim.includes(kind))).toEqual([
        `victim ${kind} 1`,
        `successor ${kind} 2`,
      ]);
      expect(events.filter(isEndOf(kind, id))).toHaveLength(1);
      // a rebuild also removes the earlier unit
      const made = changes(kind, id).filter(change => kind !== 'node.rebuild' || !change.endsWith('removed'));
      expect(made).toEqual(changesOf(row));
    });

    const checks: Readonly<Record<keyof typeof takeoverOfWork, () => Promise<void>>> = {
      open: async () => {
        for (const id of scenario.open) {
          await harness.until(id, 'taskCompleted', { what: 'the reboot is completed' });
          await eventually(async () => claimsOf(await harness.events(id)).at(-1) === 'successor node.hardReboot 1');
        }
      },
      'backing-off': async () => {
        const claimed = await eventually(
          async () => {
            const last = (await harness.events(scenario.backingOff)).findLast(event => factOf(event) === 'taskClaimed');
            return last && roleOf(textIn(last, 'conductor')) === 'successor' && last;
          },
          { timeoutMs: 30_000, what: 'the successor claims the task' },
        );
        const failed = (await harness.events(scenario.backingOff)).findLast(event => factOf(event) === 'taskFailed');
        expect(failed && textIn(failed, 'retryAt')).toBeTruthy();
        expect(claimed.time >= (failed ? textIn(failed, 'retryAt') : '')).toBe(true);
        expect(numberIn(claimed, 'attempt')).toBe(numberIn(failed ?? claimed, 'attempt') + 1);
      },
      superseded: async () => {
        const unwanted = scenario.superseded.filter(({ options }) => options.operation.endsWith('.create'));
        expect(unwanted).toHaveLength(3);
        for (const { options, resourceId } of unwanted) {
          const removal = options.operation.replace('create', 'delete');
          await harness.until(resourceName(removal, resourceId), 'deleted');
          const now = { journal: await journalOf(harness.stack.journalPath) };
          expect(changes(options.operation, resourceId, now)).toEqual(['victim created']);
          expect(changes(removal, resourceId, now)).toEqual(['successor removed']);
        }
      },
      'no-successor': async () => {
        await harness.until(scenario.withoutSuccessor, 'deleted');
        const facts = (await harness.events(scenario.withoutSuccessor)).map(factOf);
        expect(facts.slice(facts.indexOf('removalRequested'))).toEqual(
          expect.arrayContaining(['removalRequested', 'drained', 'taskClaimed', 'taskCompleted', 'deleted']),
        );
        expect(facts.indexOf('drained')).toBeLessThan(facts.lastIndexOf('taskClaimed'));
        expect(claimsOf(await harness.events(scenario.withoutSuccessor)).at(-1)).toBe('successor node.delete 1');
        const now = { journal: await journalOf(harness.stack.journalPath) };
        expect(changes('node.hardReboot', scenario.withoutSuccessor, now)).toEqual([]);
      },
      retriesExhausted: async () => {
        expect(claimsOf(await harness.events(scenario.retriesExhausted)).at(-1)).toBe('victim container.restart 1');
        await harness.api.succeed(harness.api.post(`/v1/containers/${scenario.retriesExhausted}/actions/restart`));
        expect(claimsOf(await harness.events(scenario.retriesExhausted)).at(-1)).toMatch(
          /^successor container\.restart/,
        );
      },
      'lost-repeatedly': async () => {
        // poison.suite.ts ends the conductors themselves
        const events = await harness.events();
        const lost = events.filter(event => textIn(event, 'code') === 'conductor-lost-repeatedly');
        expect(lost).toEqual([]);
      },
      settled: async () => {
        expect(claimsOf(await harness.events(scenario.settled))).toEqual(['victim node.create 1']);
      },
    };

    it.each(kindsOf(takeoverOfWork))('the takeover of work in the state "%s" follows the table', point =>
      checks[point](),
    );
  });
}

/** Matches the event that completes the second attempt of the task. */
function isEndOf(kind: string, id: string): (event: HistoryEvent) => boolean {
  const subject = resourceName(kind, id);
  return event =>
    event.subject === subject &&
    factOf(event) === 'taskCompleted' &&
    textIn(event, 'kind') === kind &&
    numberIn(event, 'attempt') === 2;
}
