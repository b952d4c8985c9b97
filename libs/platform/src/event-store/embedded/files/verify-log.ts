import { statSync } from 'node:fs';
import { filesOf, headerOf, identityOf, problemOf } from './list-files.js';
import type { Extent, LogFile } from './log-file.js';
import { withWindow, type LogWindow } from './log-window.js';

/** A part of a file that is not what was written. */
export interface DamagedPart {
  /** The byte in the file. */
  readonly at: number;
  readonly bytes: number;
}

export interface FileReport {
  readonly file: string;
  readonly bytes: number;
  /** The number of undamaged events. */
  readonly events: number;
  /** What is wrong with the file as a whole: its size, its header; it is missing. */
  readonly problem?: string;
  readonly damaged: readonly DamagedPart[];
  /** Positions of events that are lost, in pairs: the first, the last. */
  readonly lost: readonly (readonly [number, number])[];
  /** The bytes of an incomplete write at the end of the log. They were never acknowledged; a running process may be writing them. */
  readonly incompleteBytes: number;
}

/**
 * Reads every file of a log and checks its checksums and the order of its events. Changes nothing and needs no lock, so the log may be in use.
 * Yields a report for each file in order. Throws when the log does not exist.
 */
export function* verifyLog(log: string): Generator<FileReport> {
  const files = filesOf(log);
  const logId = identityOf(log) ?? (files[1] && headerOf(files[1])?.logId);
  let position = 0;
  for (const [i, file] of files.entries()) {
    const check = new FileCheck(file, files[i + 1], position);
    const report = check.run(logId);
    position = check.position;
    yield report;
  }
}

class FileCheck {
  private readonly damaged: DamagedPart[] = [];
  private readonly lost: (readonly [number, number])[] = [];
  private events = 0;
  private incompleteBytes = 0;

  /** `position` is that of the next event. */
  constructor(
    private readonly file: LogFile,
    private readonly next: LogFile | undefined,
    public position: number,
  ) {}

  run(logId: Buffer | undefined): FileReport {
    const { file, next } = this;
    const problem = problemOf(file, next, logId);
    const bytes = statSync(file.path, { throwIfNoEntry: false })?.size ?? 0;
    const extent: Extent = { ...file, end: Math.min(file.base + bytes, next?.base ?? Infinity) };
    if (bytes > 0) withWindow(extent, window => this.readFrames(window));
    if (next) this.expect(headerOf(next)?.firstPosition ?? this.position);
    const { damaged, lost, events, incompleteBytes } = this;
    return { file: file.path, bytes, events, ...(problem && { problem }), damaged, lost, incompleteBytes };
  }

  private readFrames(window: LogWindow): void {
    const { base, headerBytes, end } = window.file;
    for (let offset = base + headerBytes; offset < end;) {
      const frame = window.frameAt(offset);
      if (!frame) {
        offset = this.skip(window, offset);
        continue;
      }
      const { firstPosition, count } = frame.header;
      if (count > 0) {
        this.expect(firstPosition);
        this.position = firstPosition + count;
        this.events += count;
      }
      offset += frame.bytes.length;
    }
  }

  /** Returns where undamaged frames continue. */
  private skip(window: LogWindow, tear: number): number {
    const { base, end } = window.file;
    let next = window.nextFrame(tear + 1);
    // as at a start: only a frame written when these bytes were durable proves that they were acknowledged
    while (!this.next && next !== undefined && (window.frameAt(next)?.header.durable ?? 0) <= tear)
      next = window.nextFrame(next + 1);
    if (!this.next && next === undefined) this.incompleteBytes = end - tear;
    else this.damaged.push({ at: tear - base, bytes: (next ?? end) - tear });
    return next ?? end;
  }

  private expect(position: number): void {
    if (position > this.position) this.lost.push([this.position, position - 1]);
    this.position = Math.max(this.position, position);
  }
}
