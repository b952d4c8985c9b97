import type { ClaimRequest } from '@stave/contracts';
import { ProjectTurns } from './project-turns.js';

type Queue = readonly [project: string, tasks: readonly string[]];

/** Returns what is taken, up to `max`; tasks whose name ends with a question mark are not ready. */
function taken(max: number, queues: readonly Queue[], room?: ClaimRequest['room']) {
  const turns = new ProjectTurns(room);
  const ids: string[] = [];
  for (const id of turns.of(queues)) {
    if (ids.length >= max) break;
    if (id.endsWith('?')) continue;
    ids.push(id);
    turns.take();
  }
  return { ids: ids.join(' '), heldBack: turns.heldBack };
}

const many: Queue = ['a', ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']];

describe('ProjectTurns', () => {
  it('takes one task of each project in turn, in the order of the project', () => {
    const queues: readonly Queue[] = [many, ['b', ['b1']], ['c', ['c1', 'c2']]];
    expect(taken(6, queues).ids).toBe('a1 b1 c1 a2 c2 a3');
  });

  it('begins with the projects that have the fewest running tasks', () => {
    const room = { free: 100, limit: 100, running: { a: 2, b: 1 } };
    const queues: readonly Queue[] = [many, ['b', ['b1', 'b2', 'b3']], ['c', ['c1', 'c2', 'c3', 'c4']]];
    expect(taken(8, queues, room).ids).toBe('c1 c2 b1 c3 b2 a1 c4 b3');
  });

  it('passes over tasks that are not ready without losing the turn of their project', () => {
    const queues: readonly Queue[] = [
      ['a', ['a1?', 'a2?', 'a3']],
      ['b', ['b1', 'b2']],
    ];
    expect(taken(9, queues).ids).toBe('a3 b1 b2');
  });

  it('takes the tasks of a project from all of its queues, and counts them together', () => {
    const queues: readonly Queue[] = [
      ['a', ['a1']],
      ['b', ['b1', 'b2']],
      ['a', ['a2']],
    ];
    expect(taken(9, queues).ids).toBe('a1 b1 a2 b2');
  });

  it('stops at the limit of a project, with what runs already, and says that it held something back', () => {
    const room = { free: 100, limit: 3, running: { a: 1 } };
    expect(taken(9, [many, ['b', ['b1']]], room)).toEqual({ ids: 'b1 a1 a2', heldBack: true });
  });

  it('keeps the last free place for a project that runs nothing', () => {
    expect(taken(9, [many], { free: 4, limit: 0, running: {} })).toEqual({ ids: 'a1 a2 a3', heldBack: true });
    expect(taken(9, [many, ['b', ['b1']]], { free: 1, limit: 0, running: { a: 3 } }).ids).toBe('b1');
  });

  it('reads no more of a project than it offers', () => {
    let read = 0;
    function* endless(): Generator<string> {
      for (;;) yield `a${(read += 1)}`;
    }
    const turns = new ProjectTurns(undefined);
    const ids: string[] = [];
    for (const id of turns.of([['a', endless()]])) {
      if (ids.length >= 3) break;
      ids.push(id);
      turns.take();
    }
    expect([ids.length, read]).toEqual([3, 4]);
  });
});
