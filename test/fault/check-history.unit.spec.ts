import { checkHistory } from './check-history.js';
import { first, HistoryBuilder, second } from './history.fixture.js';

const broken = ({ history }: HistoryBuilder): string[] => checkHistory(history).map(({ promise }) => promise);
const node = (): HistoryBuilder => new HistoryBuilder();
const built = (): HistoryBuilder =>
  node().claim(first).change({ effect: 'created', by: first }).completed(first, 'fc-1');
const takenOver = (): HistoryBuilder => node().claim(first).expire(first).claim(second);
const takenOverAndBuilt = (): HistoryBuilder =>
  takenOver().change({ effect: 'created', by: second }).completed(second, 'fc-1');

describe('checkHistory with a history that keeps every promise', () => {
  it.each<[string, HistoryBuilder]>([
    ['a build', built()],
    ['a claimed task without effects', node().claim(first)],
    ['a takeover', takenOverAndBuilt()],
    [
      'a takeover of a unit that a dead conductor began to build',
      node()
        .claim(first)
        .change({ effect: 'created', by: first })
        .expire(first)
        .claim(second)
        .change({ effect: 'adopted', by: second })
        .completed(second, 'fc-1'),
    ],
    [
      'a late create whose unit is swept',
      takenOverAndBuilt()
        .claim(second, 'node.delete', 2)
        .change({ effect: 'removed', by: second, taskGeneration: 2 })
        .completed(second, undefined, 'node.delete', 2)
        .event('deleted', {})
        .change({ effect: 'created', by: first, unit: 'fc-2' })
        .sweep('fc-2'),
    ],
    [
      'a late create whose unit the successor adopts',
      takenOver()
        .change({ effect: 'created', by: first })
        .change({ effect: 'adopted', by: second })
        .completed(second, 'fc-1'),
    ],
    ['a late create that changed nothing', takenOverAndBuilt().change({ effect: 'adopted', by: first })],
    [
      'a rebuild',
      built()
        .claim(second, 'node.rebuild', 2)
        .change({ effect: 'removed', by: second, taskGeneration: 2 })
        .change({ effect: 'created', by: second, unit: 'fc-2', generation: 2 })
        .completed(second, 'fc-2', 'node.rebuild', 2),
    ],
  ])('checkHistory accepts %s', (_what, history) => expect(broken(history)).toEqual([]));
});

describe('checkHistory with a history that breaks a promise', () => {
  it.each<[string, HistoryBuilder, string[]]>([
    ['two concurrent claims', node().claim(first).claim(second), ['claims-overlap']],
    ['a report of a lost claim', takenOver().completed(first), ['stale-report-counted']],
    ['a report without a claim', node().completed(first), ['stale-report-counted']],
    ['a report after the end', built().completed(first, 'fc-1'), ['stale-report-counted']],
    ['a change without a claim', node().change({ effect: 'created', by: first }), ['effect-without-claim']],
    [
      'a change before the claim',
      node().change({ effect: 'created', by: first }).claim(first).completed(first, 'fc-1'),
      ['effect-without-claim'],
    ],
    [
      'a change under another’s claim',
      node()
        .claim(first)
        .change({ effect: 'created', by: { ...first, conductor: 'b' } })
        .completed(first, 'fc-1'),
      ['effect-without-claim'],
    ],
    [
      'a late create whose unit stays',
      takenOverAndBuilt().change({ effect: 'created', by: first, unit: 'fc-2' }),
      ['late-effect-stays', 'built-twice', 'unit-left-over'],
    ],
    [
      'a late reboot',
      takenOverAndBuilt().change({ effect: 'hardReboot', by: first }),
      ['late-effect-stays', 'successor-touched'],
    ],
    [
      'a late removal of what the successor built',
      takenOverAndBuilt().change({ effect: 'removed', by: first }),
      ['late-effect-stays', 'successor-touched', 'unit-missing'],
    ],
    [
      'a removal by an attempt that was superseded in time',
      node()
        .claim(first)
        .event('taskReleased', { taskId: 't1', attempt: 1 })
        .claim(second)
        .change({ effect: 'created', by: second })
        .completed(second, 'fc-1')
        .change({ effect: 'removed', by: first }),
      ['successor-touched', 'unit-missing'],
    ],
    [
      'a removal of a higher generation',
      node()
        .claim(first)
        .change({ effect: 'created', by: first, generation: 2, taskGeneration: 1 })
        .completed(first, 'fc-1')
        .change({ effect: 'removed', by: first, generation: 2, taskGeneration: 1 })
        .event('deleted', {}),
      ['higher-generation-removed'],
    ],
    [
      'a second build of one generation',
      node()
        .claim(first)
        .change({ effect: 'created', by: first })
        .change({ effect: 'removed', by: first })
        .change({ effect: 'created', by: first, unit: 'fc-2' })
        .completed(first, 'fc-2'),
      ['built-twice'],
    ],
    ['a sweep of a unit in use', built().sweep('fc-1'), ['live-unit-swept', 'unit-missing']],
    ['a unit that is lost', node().claim(first).completed(first, 'fc-1'), ['unit-missing']],
    ['a unit that stays behind', built().event('deleted', {}), ['unit-left-over']],
  ])('checkHistory reports %s', (_what, history, promises) => expect(broken(history)).toEqual(promises));
});
