import type { JournalEntry } from '@stave/driver-fake';
import type { History, HistoryEvent } from './history.js';

const START = Date.parse('2026-01-01T00:00:00.000Z');

interface Holder {
  readonly conductor: string;
  readonly session: string;
  readonly attempt: number;
}

interface Change {
  readonly effect: NonNullable<JournalEntry['effect']>;
  readonly by: Holder;
  readonly unit?: string;
  /** The generation of the unit. */
  readonly generation?: number;
  readonly taskGeneration?: number;
}

export const first: Holder = { conductor: 'a', session: 'a1', attempt: 1 };
export const second: Holder = { conductor: 'b', session: 'b1', attempt: 2 };

/** Builds the history of one node; every entry is one millisecond after the one before. Task ids are `t<generation>`. */
export class HistoryBuilder {
  private readonly events: HistoryEvent[] = [];
  private readonly journal: JournalEntry[] = [];
  private now = START;

  constructor(private readonly node = 'n1') {
    this.event('declared', {});
  }

  get history(): History {
    return { events: this.events, journal: this.journal };
  }

  event(fact: string, data: object): this {
    return this.write(`node/${this.node}`, `stave.node.${fact}.v1`, data);
  }

  claim(by: Holder, kind = 'node.create', generation = 1): this {
    return this.event('taskClaimed', { taskId: `t${generation}`, kind, generation, ...by });
  }

  completed(by: Holder, unit?: string, kind = 'node.create', generation = 1): this {
    const result = unit === undefined ? {} : { infrastructureId: unit };
    return this.event('taskCompleted', { taskId: `t${generation}`, kind, generation, attempt: by.attempt, result });
  }

  expire({ conductor, session }: Holder): this {
    return this.write('conductorRing', 'stave.conductorRing.conductorExpired.v1', { conductor, session });
  }

  change({ effect, by, unit = 'fc-1', generation = 1, taskGeneration = generation }: Change): this {
    const gone = effect === 'removed';
    const infrastructure = { infrastructureId: unit, kind: 'node', resourceId: this.node, clusterId: 'c1', generation };
    const built = {
      ...infrastructure,
      ...{ installation: 'i', name: unit, state: 'running', reboots: 0, createdAt: this.time(), attributes: {} },
    } as const;
    const { conductor, attempt } = by;
    this.journal.push({
      seq: this.journal.length + 1,
      at: this.time(),
      call: gone ? 'remove' : effect === 'hardReboot' ? 'act' : 'create',
      caller: { operation: 'op', taskId: `t${taskGeneration}`, attempt, generation: taskGeneration, conductor },
      ...{ installation: 'i', kind: 'node', resourceId: this.node, unit, unitGeneration: generation, effect },
      ...(gone ? { gone: [unit] } : { put: [{ ...built, kind: 'node', state: 'running' }] }),
    });
    return this;
  }

  /** Adds the removal of a unit by the orphan sweep of a conductor. */
  sweep(unit: string): this {
    this.change({ effect: 'removed', by: second, unit });
    const entry = this.journal.pop();
    if (entry) this.journal.push({ ...entry, caller: { ...entry.caller, taskId: 'sweep:b1', attempt: 0 } });
    return this;
  }

  private write(subject: string, type: string, data: object): this {
    const position = String(this.events.length);
    this.events.push({ subject, type, time: this.time(), position, data: { ...data } });
    return this;
  }

  private time(): string {
    return new Date(this.now++).toISOString();
  }
}
