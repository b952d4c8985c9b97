import type { JournalEntry } from '@stave/driver-fake';
import { isSweep, resourceOf } from './effect-rules.js';
import { factOf, textIn, type BrokenPromise, type History, type HistoryEvent } from './history.js';

interface UnitInUse {
  /** The unit of the resource; null when it has none, undefined when that is unknown. */
  readonly unit?: string | null;
  readonly deleted: boolean;
}

const kinds = new Set(['cluster', 'node', 'container', 'network', 'volume']);

/** Returns which unit each resource uses after these events, by subject. */
function unitsInUse(events: readonly HistoryEvent[]): Map<string, UnitInUse> {
  const known = new Map<string, UnitInUse>();
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
export function liveUnitsSwept({ events, journal }: History): readonly BrokenPromise[] {
  return journal
    .filter(entry => isSweep(entry) && entry.effect === 'removed')
    .filter(entry => {
      const inUse = unitsInUse(events.filter(({ time }) => time <= entry.at)).get(resourceOf(entry));
      return inUse !== undefined && !inUse.deleted && inUse.unit === entry.unit;
    })
    .map(entry => ({ promise: 'live-unit-swept', resource: resourceOf(entry), detail: entry.unit ?? '' }));
}

/** Checks that in a settled installation each built resource has exactly its unit, and each unit has a resource. */
export function differences({ events, journal }: History): readonly BrokenPromise[] {
  const there = remaining(journal);
  const known = unitsInUse(events);
  const missing = [...known]
    .filter(([resource, { unit, deleted }]) => !deleted && unit && !there.get(resource)?.includes(unit))
    .map(([resource, { unit }]) => ({ promise: 'unit-missing' as const, resource, detail: unit ?? '' }));
  const extra = [...there].flatMap(([resource, units]) => {
    const inUse = known.get(resource);
    if (inUse && !inUse.deleted && inUse.unit === undefined) return [];
    return units
      .filter(unit => inUse === undefined || inUse.deleted || unit !== inUse.unit)
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
