import type { NodeGroup } from '../api/types.js';
import { StepChart } from '../charts/step-chart.js';
import { PagedList } from '../parts/paged-list.js';
import { SizeChange } from './size-change.js';
import { useSizes } from './use-sizes.js';

/** The shortest time that the chart shows, in milliseconds. */
const SHORTEST = 10_000;

interface Limits {
  readonly minCount: number;
  readonly maxCount?: number | null;
}

/** How many nodes a group wanted over time, and who wanted them. */
export function GroupSizes({ group, limits }: { readonly group: NodeGroup; readonly limits: Limits }) {
  const { sizes, more } = useSizes('nodeGroup', group.id, group.updatedAt);
  const [first] = sizes;
  if (!first) return <p className="dim quiet-line">Its number of nodes was never changed.</p>;
  const { minCount, maxCount } = limits;
  return (
    <>
      <StepChart
        label={`Nodes of ${group.name} over time`}
        from={first.at}
        to={Math.max(Date.now(), first.at + SHORTEST)}
        lines={[{ title: 'nodes wanted', style: 'first', points: sizes }]}
        limits={[
          { title: 'min', value: minCount },
          ...(maxCount === undefined || maxCount === null ? [] : [{ title: 'max', value: maxCount }]),
        ]}
      />
      <PagedList
        label="Changes of the number, newest first"
        items={sizes.toReversed()}
        keyOf={({ event }) => event.id}
        line={size => <SizeChange size={size} what="node" />}
        more={more}
      />
    </>
  );
}
