import { DocumentWrite, StoredDocument } from '../document-store.port.js';

/** The result of a batch for one `_id`: an unconditional write, then a guarded one. */
interface Steps {
  base?: DocumentWrite;
  guarded?: { readonly replace: StoredDocument };
}

/** Returns the position that guards a document; undefined when it has none. */
export function positionOf(document: StoredDocument | undefined): number | undefined {
  const position = document?.['position'];
  return typeof position === 'number' ? position : undefined;
}

function add(steps: Steps, write: DocumentWrite): void {
  const position = 'replace' in write ? positionOf(write.replace) : undefined;
  if ('remove' in write || position === undefined) {
    steps.base = write;
    delete steps.guarded;
  } else if (steps.guarded === undefined || (positionOf(steps.guarded.replace) ?? position) < position) {
    steps.guarded = write;
  }
}

/**
 * Splits a batch into at most two rounds in which every `_id` occurs once. Each round may run in any order, with the same result as the
 * writes one after the other.
 */
export function roundsOf(writes: readonly DocumentWrite[]): readonly (readonly DocumentWrite[])[] {
  const byId = new Map<string, Steps>();
  for (const write of writes) {
    const id = 'remove' in write ? write.remove : write.replace._id;
    const steps = byId.get(id) ?? {};
    add(steps, write);
    byId.set(id, steps);
  }
  const rounds: [DocumentWrite[], DocumentWrite[]] = [[], []];
  for (const { base, guarded } of byId.values()) {
    if (base !== undefined) rounds[0].push(base);
    if (guarded !== undefined) rounds[base === undefined ? 0 : 1].push(guarded);
  }
  return rounds.filter(round => round.length > 0);
}
