import type { ContainerSet, SetAutoscalingNow } from '../api/types.js';
import { PagedList } from '../parts/paged-list.js';
import { Age } from '../parts/time.js';
import { SizeChange } from './size-change.js';
import { useSizes, type Size } from './use-sizes.js';

export type Evaluation = SetAutoscalingNow['evaluations'][number];

interface EvaluationsProps {
  readonly set: ContainerSet;
  /** The oldest first. */
  readonly evaluations: readonly Evaluation[];
}

type Row = { readonly evaluation: Evaluation } | { readonly size: Size };

const keyOf = (row: Row): string => ('size' in row ? row.size.event.id : row.evaluation.at);

const EvaluationLine = ({ evaluation: { at, applied, recommended, reason } }: { readonly evaluation: Evaluation }) => (
  <>
    <span className="dim evaluation-time">
      <Age time={at} />
    </span>
    <span>
      needs <b>{recommended ?? '?'}</b>, wants <b>{applied}</b>
    </span>
    <span className="dim">{reason}</span>
  </>
);

/** The evaluations that are remembered, and before them the changes of the number: evaluations that change nothing are no events. */
export function Evaluations({ set, evaluations }: EvaluationsProps) {
  const { sizes, more } = useSizes('containerSet', set.id, set.updatedAt);
  const first = evaluations[0];
  const older = first ? sizes.filter(({ at }) => at < Date.parse(first.at)) : sizes;
  const rows: readonly Row[] = [...older.map(size => ({ size })), ...evaluations.map(evaluation => ({ evaluation }))];
  return (
    <>
      <PagedList
        label="Evaluations, newest first"
        items={rows.toReversed()}
        keyOf={keyOf}
        line={row => ('size' in row ? <SizeChange size={row.size} what="member" /> : <EvaluationLine {...row} />)}
        more={more}
      />
      <p className="dim note">
        {first
          ? `Before ${new Date(first.at).toLocaleTimeString()} only changes of the number are listed.`
          : 'Only changes of the number are listed.'}
      </p>
    </>
  );
}
