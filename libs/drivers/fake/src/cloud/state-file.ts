import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import type { FakeUnit } from './fake-unit.js';

/** The state of a cloud after its journal up to an entry. */
export interface CloudState {
  readonly seq: number;
  /** The time of the last entry, which distinguishes one journal from another. */
  readonly at: string;
  readonly lastUnit: number;
  readonly units: readonly FakeUnit[];
  readonly failedBuilds: ReadonlyMap<string, number>;
  readonly refusals: ReadonlyMap<string, number>;
}

/** A state with the bytes of the journal that it contains. */
export interface StoredState extends CloudState {
  readonly bytes: number;
}

/** The layout of the file and of what it contains. A file of another layout is not used. */
const LAYOUT = 1;

export function statePath(dataDir: string): string {
  return join(dataDir, 'fake-cloud', 'state');
}

/** Returns the stored state; undefined when there is none that can be read, since the journal has all of it. */
export function readState(dataDir: string): StoredState | undefined {
  try {
    const { layout, state } = deserialize(readFileSync(statePath(dataDir)));
    return layout === LAYOUT ? state : undefined;
  } catch {
    return undefined;
  }
}

/** Stores the state so that a start need not replay the journal from its beginning. */
export function writeState(dataDir: string, state: StoredState): void {
  const path = statePath(dataDir);
  writeFileSync(`${path}.new`, serialize({ layout: LAYOUT, state }), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
