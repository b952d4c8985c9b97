import type { Decision, DomainEvent } from './decider.js';

interface Answers<S> {
  /** Makes the state of each row. */
  readonly states: Readonly<Record<string, () => S>>;
  /** What each column decides. */
  readonly commands: Readonly<Record<string, (state: S) => Decision<DomainEvent>>>;
}

/** `yes`: accepted; `same`: accepted, and there is nothing to do; else the code of the refusal. */
function answer(decision: Decision<DomainEvent>): string {
  if (!decision.ok) return decision.refusal.code;
  return decision.events.length > 0 ? 'yes' : 'same';
}

/** Tests that each state answers each command as the table says: a row for each state, a column for each command, cells between bars. */
export function itAnswersAsIn<S>(table: string, resource: string, { states, commands }: Answers<S>): void {
  const [[, ...columns] = [], ...lines] = table
    .trim()
    .split('\n')
    .map(line => line.split('|').map(cell => cell.trim()));

  it('the command table has a row for each state and a column for each command', () => {
    expect(lines.map(([name]) => name)).toEqual(Object.keys(states));
    expect(columns).toEqual(Object.keys(commands));
  });

  it.each(lines)(`a ${resource} that is %s answers each command as the table says`, (name = '', ...cells) => {
    const make = states[name];
    if (!make) throw new Error(`no state ${name}`);
    const state = make();
    const answers = Object.fromEntries(Object.entries(commands).map(([is, decide]) => [is, answer(decide(state))]));
    expect(answers).toEqual(Object.fromEntries(columns.map((is, i) => [is, cells[i]])));
  });
}
