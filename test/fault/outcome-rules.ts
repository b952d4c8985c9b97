import type { JournalEntry } from '@stave/driver-fake';
import { isSweep, resourceOf } from './effect-rules.js';
import { factOf, textIn, type BrokenPromise, type History, type HistoryEvent } from './history.js';

interface Standing {
  /** Undefined: unknown; null: the resource has no unit. */
  readonly unit?: string | null;
  readonly deleted: boolean;
}

const kinds = new Set(['cluster', 'node', 'container']);

/** Returns which unit each resource uses after these events, by subject. */
function standings(events: readonly HistoryEvent[]): Map<string, Standing> {
  const known = new Map<string, Standing>();
  for (const event of events) {
    const { subject } = event;
    if (!kinds.has(subject.split('/')[0] ?? '')) continue;
    const before = known.get(subject) ?? { deleted: false };
    if (factOf(event) === 'deleted') known.set(subject, { deleted: true });
    else if (factOf(event) === 'removedFromNode') known.set(subject, { unit: null, deleted: false });
    else if (factOf(event) === 'nodeLost') known.set(subject, { deleted: false });
    else known.set(subject, factOf(event) === 'taskCompleted' ? { ...before, ...builtUnit(event) } : before);
  }
  return known;
}

function builtUnit(event: HistoryEvent): { unit?: string } {
  const { result } = event.data;
  const built = /\.(create|rebuild)$/.test(textIn(event, 'kind'));
  if (!built || typeof result !== 'object' || result === null || !('infrastructureId' in result)) return {};
  return { unit: String(result.infrastructureId) };
}

/** Returns the units that the orphan sweep removed although a resource used them at that time. */
export function sweptAlive({ events, journal }: History): readonly BrokenPromise[] {
  return journal
    .filter(entry => isSweep(entry) && entry.effect === 'removed')
    .filter(entry => {
      const standing = standings(events.filter(({ time }) => time <= entry.at)).get(resourceOf(entry));
      return standing !== undefined && !standing.deleted && standing.unit === entry.unit;
    })
    .map(entry => ({ promise: 'live-unit-swept', resource: resourceOf(entry), detail: entry.unit ?? '' }));
}

/**
 * Compares a settled installation with its events: each resource that was built has exactly its unit, and no unit lacks a
 * resource.
 */
export function differences({ events, journal }: History): readonly BrokenPromise[] {
  const there = remaining(journal);
  const known = standings(events);
  const missing = [...known]
    .filter(([resource, { unit, deleted }]) => !deleted && unit && !there.get(resource)?.includes(unit))
    .map(([resource, { unit }]) => ({ promise: 'unit-missing' as const, resource, detail: unit ?? '' }));
  const extra = [...there].flatMap(([resource, units]) => {
    const standing = known.get(resource);
    if (standing && !standing.deleted && standing.unit === undefined) return [];
    return units
      .filter(unit => standing === undefined || standing.deleted || unit !== standing.unit)
      .map(detail => ({ promise: 'unit-left-over' as const, resource, detail }));
  });
  return [...missing, ...extra];
}

/** Returns the units that exist after the last entry, by resource. */
function remaining(journal: readonly JournalEntry[]): Map<string, string[]> {
  const units = new Map<string, string>();
  for (const { put = [], gone = [] } of journal) {
    for (const unit of put) units.set(unit.infrastructureId, `${unit.kind}/${unit.resourceId}`);
    for (const unit of gone) units.delete(unit);
  }
  const by = new Map<string, string[]>();
  for (const [unit, resource] of units) by.set(resource, [...(by.get(resource) ?? []), unit]);
  return by;
}
