import { mkdtemp, open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { anEvent, idsOf, someEvents } from '../contract/contract.fixture.js';
import { EventStoreUnavailableError } from '../event-store.port.js';
import { encodeAppend } from './event.codec.js';
import { EmbeddedEventStore } from './embedded.event-store.js';
import { EventIndex } from './index/event-index.js';
import { EventReader } from './event-reader.js';
import { GroupCommitter } from './group-committer.js';
import { FileMedium } from './files/file-medium.js';
import { MemoryMedium, type LogMedium } from './log-medium.js';

/** A medium in memory whose next write fails as on a full disk. */
class FullMedium extends MemoryMedium {
  override full: unknown = undefined;
  override async append(parts: readonly Buffer[]): Promise<void> {
    if (this.full) throw this.full;
    await super.append(parts);
  }
}

function committerOn(medium: LogMedium) {
  const index = new EventIndex();
  const committed: number[] = [];
  const committer = new GroupCommitter(medium, index, (_, offset) => committed.push(offset));
  return { index, committed, committer };
}

describe('embedded event store on a failing disk', () => {
  it('rejects every append of a failed group, shows none of it, and resumes when space is available again', async () => {
    const medium = new FullMedium();
    const { index, committed, committer } = committerOn(medium);
    const append = (stream: string, events = someEvents(2)) =>
      committer.append([{ stream, events: encodeAppend(stream, events), expected: 'any' }]);
    await append('s-1');
    medium.full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    const outcomes = await Promise.allSettled(['s-1', 's-2', 's-3'].map(stream => append(stream)));
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'EventStoreUnavailableError' } });
      expect(String(outcome.status === 'rejected' && outcome.reason)).toContain('ENOSPC');
    }
    expect([index.size, index.lastRevision('s-1'), index.lastRevision('s-2'), committed.length]).toEqual([2, 1, -1, 1]);
    medium.full = undefined;
    const event = anEvent();
    expect(await append('s-1', [event])).toEqual([{ revision: 2, position: 2 }]);
    const reader = new EventReader(index, medium);
    expect(idsOf(await reader.read([2]))).toEqual([event.id]);
  });

  it('reports ENOSPC of a real device, and refuses further appends when the partial write cannot be truncated', async () => {
    const reported: string[] = [];
    const medium = await FileMedium.open('/dev/full', 0, { report: message => void reported.push(message) });
    const { index, committer } = committerOn(medium);
    const append = () =>
      committer.append([{ stream: 's-1', events: encodeAppend('s-1', someEvents(1)), expected: 'any' }]);
    await expect(append()).rejects.toThrow(/ENOSPC/);
    expect(medium.failed).toBeDefined();
    await expect(append()).rejects.toThrow(EventStoreUnavailableError);
    expect(index.size).toBe(0);
    expect(reported).toEqual([expect.stringContaining('restart the process')]);
    await medium.close();
  });

  it('notifies operators once that the disk is full, and once that there is room again', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'stave-limited-'));
    const reported: string[] = [];
    const store = await EmbeddedEventStore.open({ directory, log: message => void reported.push(message) });
    const append = () => store.append('s-1', someEvents(1), 'any');
    const handle = await open(join(directory, 'any'), 'w');
    const write = jest.spyOn(Object.getPrototypeOf(handle) as FileHandle, 'write');
    const noSpace = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
    write.mockRejectedValueOnce(noSpace).mockRejectedValueOnce(noSpace);
    await expect(append()).rejects.toThrow('ENOSPC');
    await expect(append()).rejects.toThrow('ENOSPC');
    expect(reported).toEqual([expect.stringContaining('is full')]);
    await append();
    await append();
    expect(reported).toEqual([expect.stringContaining('is full'), expect.stringContaining('room again')]);
    write.mockRestore();
    await handle.close();
    await store.close();
    await rm(directory, { recursive: true });
  });
});
