import type { DemandSample } from '@stave/domain';
import type { StoredDocument } from '@stave/platform';

const HOUR_MS = 3_600_000;
/** Numbers of an instant: time, known members, others, CPUs, megabytes. */
const WIDTH = 5;

/** The demand of a set in one hour. The instants are a list of numbers: as objects they would take several times the room. */
export interface DemandDocument extends StoredDocument {
  readonly setId: string;
  /** Hours since 1970. */
  readonly hour: number;
  readonly instants: readonly number[];
  /** The milliseconds of which each instant is the demand; 0: unknown. Documents of older releases have none. */
  readonly spans?: readonly number[];
  /** When a process began to evaluate the set. */
  readonly begins: readonly number[];
}

export const hourOf = (ms: number): number => Math.floor(ms / HOUR_MS);
export const demandDocumentId = (setId: string, hour: number): string => `${setId}/${hour}`;

/** Returns the document of an hour with further instants; those that it has already are left out. */
export function withInstants(
  before: DemandDocument | undefined,
  { setId, hour }: Pick<DemandDocument, 'setId' | 'hour'>,
  instants: readonly DemandSample[],
  begin: number | undefined,
): DemandDocument {
  const kept = before?.instants ?? [];
  const last = kept.at(-WIDTH) ?? -Infinity;
  const fresh = instants.filter(({ at }) => at > last && hourOf(at) === hour);
  const spans = before?.spans ?? new Array<number>(kept.length / WIDTH).fill(0);
  const begins = before?.begins ?? [];
  const isNew = begin !== undefined && !begins.includes(begin);
  return {
    _id: demandDocumentId(setId, hour),
    setId,
    hour,
    instants: [
      ...kept,
      ...fresh.flatMap(({ at, known, others, use }) => [at, known, others, use.cpu ?? 0, use.memory ?? 0]),
    ],
    spans: [...spans, ...fresh.map(({ spanMs = 0 }) => spanMs)],
    begins: isNew ? [...begins, begin].sort((a, b) => a - b) : begins,
  };
}

export function instantsIn({ instants, spans = [] }: DemandDocument): readonly DemandSample[] {
  const samples: DemandSample[] = [];
  for (let i = 0; i + WIDTH <= instants.length; i += WIDTH) {
    const [at = 0, known = 0, others = 0, cpu = 0, memory = 0] = instants.slice(i, i + WIDTH);
    const spanMs = spans[i / WIDTH] ?? 0;
    samples.push({ at, ...(spanMs > 0 ? { spanMs } : {}), known, others, use: { cpu, memory } });
  }
  return samples;
}

/** Returns one instant in place of several: the mean of them, at the time of the last, with the time of all. */
export function meanInstant(instants: readonly DemandSample[]): DemandSample | undefined {
  const last = instants.at(-1);
  if (!last) return undefined;
  const mean = (value: (sample: DemandSample) => number): number =>
    instants.reduce((sum, sample) => sum + value(sample), 0) / instants.length;
  const spanMs = instants.reduce((sum, { spanMs = 0 }) => sum + spanMs, 0);
  const use = { cpu: mean(({ use: { cpu = 0 } }) => cpu), memory: mean(({ use: { memory = 0 } }) => memory) };
  return {
    at: last.at,
    ...(spanMs > 0 ? { spanMs } : {}),
    known: mean(({ known }) => known),
    others: mean(({ others }) => others),
    use,
  };
}
