import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { readAt } from '../api/any-path.js';
import type { NodeGroup, Page, StaveEvent } from '../api/types.js';
import { StepChart } from '../charts/step-chart.js';
import { actorOf } from '../parts/event-words.js';
import { Age } from '../parts/time.js';

/** Events with which a node group wants another number of nodes; others of these types carry no count. */
const TYPES = ['created', 'resized', 'updated', 'nodeRemovalAccepted', 'nodesReleased']
  .map(name => `stave.nodeGroup.${name}.v1`)
  .join();
const READ = 200;
const LISTED = 12;
/** The shortest time that the chart shows, in milliseconds. */
const SHORTEST = 10_000;

interface Size {
  readonly at: number;
  readonly value: number;
  readonly event: StaveEvent;
}

interface Limits {
  readonly minCount: number;
  readonly maxCount?: number | null;
}

interface SizeData {
  readonly count?: number;
  readonly changes?: { readonly count?: number };
  readonly spec?: { readonly count?: number };
}

function sizeIn(event: StaveEvent): readonly Size[] {
  const { count, changes, spec } = (event.data ?? {}) as SizeData;
  const value = count ?? changes?.count ?? spec?.count;
  return value === undefined ? [] : [{ at: Date.parse(event.time), value, event }];
}

const useSizes = ({ id, updatedAt }: NodeGroup) =>
  useQuery({
    queryKey: ['group sizes', id, updatedAt],
    queryFn: async ({ signal }) => {
      const query = { resource: `nodeGroup/${id}`, type: TYPES, order: 'newest', limit: READ };
      const { items } = await readAt<Page<StaveEvent>>('/v1/events', query, signal);
      return items.flatMap(sizeIn).reverse();
    },
    placeholderData: previous => previous,
  });

function Changes({ sizes }: { readonly sizes: readonly Size[] }) {
  return (
    <ol className="plain evaluations" aria-label="Changes of the number, newest first">
      {sizes
        .map(({ value, event }, index) => ({ value, event, before: sizes[index - 1]?.value }))
        .slice(-LISTED)
        .reverse()
        .map(({ value, event, before }) => (
          <li key={event.id} className="line">
            <span className="dim evaluation-time">
              <Age time={event.time} />
            </span>
            <span>
              {before === undefined ? null : `${before} → `}
              <b>{value}</b> {value === 1 ? 'node' : 'nodes'}
            </span>
            <span className="dim">
              by {actorOf(event)}
              {event.operationid ? (
                <>
                  {', '}
                  <Link href={`/operations/${event.operationid}`}>operation</Link>
                </>
              ) : null}
            </span>
          </li>
        ))}
    </ol>
  );
}

/** How many nodes a group wanted over time, and who wanted them. */
export function GroupSizes({ group, limits }: { readonly group: NodeGroup; readonly limits: Limits }) {
  const { data: sizes = [] } = useSizes(group);
  const [first, last] = [sizes[0], sizes.at(-1)];
  if (!first || !last) return <p className="dim quiet-line">Its number of nodes was never changed.</p>;
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
      <Changes sizes={sizes} />
    </>
  );
}
