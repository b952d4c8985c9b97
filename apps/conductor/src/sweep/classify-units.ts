import type { OrphanVerdictReply, OrphanVerdictRequest } from '@stave/contracts';
import type { Unit, UnitKind } from '@stave/driver-sdk';
import { serviceOf, type ServiceClient } from '../service-client.js';
import type { ClassifiedUnit } from './orphan-candidates.js';

const CHUNK = 500;

/** Asks the owning services to classify units by their streams. Without an answer the verdict is undefined. */
export async function classifyUnits(
  client: ServiceClient,
  units: readonly Unit[],
  onError: (error: unknown) => void,
): Promise<readonly ClassifiedUnit[]> {
  const classified: ClassifiedUnit[] = [];
  for (const kind of ['container', 'node', 'cluster'] as const) {
    const ofKind = units.filter(unit => unit.kind === kind);
    for (let at = 0; at < ofKind.length; at += CHUNK) {
      classified.push(...(await classifyChunk(client, kind, ofKind.slice(at, at + CHUNK), onError)));
    }
  }
  return classified;
}

async function classifyChunk(
  client: ServiceClient,
  kind: UnitKind,
  units: readonly Unit[],
  onError: (error: unknown) => void,
): Promise<readonly ClassifiedUnit[]> {
  const request: OrphanVerdictRequest = {
    units: units.map(({ resourceId, generation }) => ({ resourceId, kind, generation })),
  };
  try {
    const { verdicts } = await client.ask<OrphanVerdictReply>(serviceOf[kind], ['orphan', 'classify'], request);
    if (verdicts.length !== units.length) throw new Error(`${verdicts.length} verdicts for ${units.length} units`);
    return units.map((unit, index) => ({ unit, verdict: verdicts[index] }));
  } catch (error) {
    onError(error);
    return units.map(unit => ({ unit, verdict: undefined }));
  }
}
