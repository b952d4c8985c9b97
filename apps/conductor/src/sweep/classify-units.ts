import type { OrphanVerdictReply, OrphanVerdictRequest } from '@stave/contracts';
import type { Unit, UnitKind } from '@stave/driver-sdk';
import type { ServiceClient } from '../service-client.js';
import { serviceOf } from '../work/reporter.js';
import type { ClassifiedUnit } from './orphan-candidates.js';

const CHUNK = 500;

/** Asks the owning services, which answer from their streams, what the units are. No answer: no verdict. */
export async function classifyUnits(
  client: ServiceClient,
  units: readonly Unit[],
  onError: (error: unknown) => void,
): Promise<readonly ClassifiedUnit[]> {
  const judged: ClassifiedUnit[] = [];
  for (const kind of ['container', 'node', 'cluster'] as const) {
    const ofKind = units.filter(unit => unit.kind === kind);
    for (let at = 0; at < ofKind.length; at += CHUNK) {
      judged.push(...(await judgeChunk(client, kind, ofKind.slice(at, at + CHUNK), onError)));
    }
  }
  return judged;
}

async function judgeChunk(
  client: ServiceClient,
  kind: UnitKind,
  units: readonly Unit[],
  onError: (error: unknown) => void,
): Promise<readonly ClassifiedUnit[]> {
  const request: OrphanVerdictRequest = {
    units: units.map(({ resourceId, generation }) => ({ resourceId, kind, generation })),
  };
  try {
    const { verdicts } = await client.ask<OrphanVerdictReply>(serviceOf[kind], ['orphan', 'judge'], request);
    if (verdicts.length !== units.length) throw new Error(`${verdicts.length} verdicts for ${units.length} units`);
    return units.map((unit, index) => ({ unit, verdict: verdicts[index] }));
  } catch (error) {
    onError(error);
    return units.map(unit => ({ unit, verdict: undefined }));
  }
}
