import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Quotas } from '../access/quotas.js';
import { useWhoAmI } from '../access/who-am-i.js';
import { useShortList } from '../api/lists.js';
import { resourceTypes } from '../api/resource-types.js';
import { useConductors, useOperations, useSummary, useWrongClusters, type Summary } from '../api/queries.js';
import { Bar } from '../parts/bar.js';
import { OperationRow } from '../parts/operation-row.js';
import { PageHead } from '../parts/page-head.js';
import { CommandLine, Empty, ErrorState, Loading } from '../parts/states.js';
import { byConcern, Status } from '../parts/status.js';
import { Age } from '../parts/time.js';
import { useMoment } from '../time/moment.js';
import { OnlyNow } from '../time/time-bar.js';
import { flag, shell } from '../parts/shell-command.js';

/** Types that the API counts at a moment of the past. */
const pastLists = [
  ['cluster', 'Clusters'],
  ['nodeGroup', 'Node groups'],
  ['node', 'Nodes'],
  ['container', 'Containers'],
] as const;

const tiles = [
  ['clusters', 'Clusters'],
  ['nodeGroups', 'Node groups'],
  ['nodes', 'Nodes'],
  ['containers', 'Containers'],
] as const;

const sumOf = (numbers: Readonly<Record<string, number>>): number =>
  Object.values(numbers).reduce((sum, number) => sum + number, 0);

function Tile({ title, numbers }: { readonly title: string; readonly numbers: Readonly<Record<string, number>> }) {
  const statuses = Object.keys(numbers).sort(byConcern);
  return (
    <section className="tile" aria-label={title}>
      <h2>{title}</h2>
      <p className="number">{sumOf(numbers).toLocaleString('en')}</p>
      <Bar numbers={numbers} />
      <p className="statuses">
        {statuses.length === 0 ? <span className="dim">none</span> : null}
        {statuses.map(status => (
          <Status key={status} status={status} count={numbers[status] ?? 0} />
        ))}
      </p>
    </section>
  );
}

function Wrong({ at }: { readonly at: string | undefined }) {
  const { data, error } = useWrongClusters(at);
  const all = data?.total ?? 0;
  if (error) return <ErrorState error={error} />;
  if (data?.items.length === 0) return <p className="dim quiet-line">Nothing. Every cluster is as it should be.</p>;
  return (
    <ul className="plain">
      {data?.items.map(({ id, name, status, statusReason, updatedAt }) => (
        <li key={id} className="wrong-row">
          <div className="line">
            <Link href={`/clusters/${id}`} className="strong">
              {name}
            </Link>
            <Status status={status} />
            <span className="space" />
            <span className="dim">
              <Age time={updatedAt} />
            </span>
          </div>
          {statusReason ? <p className="why">{statusReason}</p> : null}
        </li>
      ))}
      {all > (data?.items.length ?? 0) ? (
        <li className="dim">
          <Link href="/clusters?sort=-updatedAt&status=FAILED,DEGRADED">all {all.toLocaleString('en')} of them</Link>
        </li>
      ) : null}
    </ul>
  );
}

function Running() {
  const { data, error } = useOperations(
    { status: 'RUNNING,PENDING', limit: 6, total: true },
    { types: ['cluster', 'node', 'nodeGroup', 'container', 'containerSet'] },
  );
  if (error) return <ErrorState error={error} />;
  if (data?.items.length === 0) return <p className="dim quiet-line">No operation runs.</p>;
  const left = (data?.total ?? 0) - (data?.items.length ?? 0);
  return (
    <ul className="plain">
      {data?.items.map(operation => (
        <OperationRow key={operation.id} operation={operation} />
      ))}
      {left > 0 ? (
        <li>
          <Link href="/operations?status=RUNNING,PENDING">{left} more</Link>
        </li>
      ) : null}
    </ul>
  );
}

function Conductors() {
  const { data, error, refetch } = useConductors();
  if (error) return <ErrorState error={error} retry={() => void refetch()} />;
  return (
    <ul className="plain">
      {data?.items.slice(0, 5).map(({ id, name, group, state, load, lastHeartbeatAt }) => (
        <li key={id} className="line">
          <Link href="/fleet" className="strong">
            {name}
          </Link>
          <Status status={state} />
          <span className="dim">{group === '' ? 'default group' : `group ${group}`}</span>
          <span className="space" />
          <span className="dim">
            {load} tasks, <Age time={lastHeartbeatAt ?? undefined} />
          </span>
        </li>
      ))}
    </ul>
  );
}

const panel = (id: string, title: string, content: ReactNode) => (
  <section className="panel" aria-labelledby={id}>
    <h2 id={id}>{title}</h2>
    {content}
  </section>
);

/** The quotas of the project that one works in; an operator works in the one of the installation. */
function QuotaPanel() {
  const { data: me } = useWhoAmI();
  const project = me?.projects[0];
  return project === undefined
    ? null
    : panel('quotas', `Quotas of ${project.name}`, <Quotas isShort project={project.id} />);
}

/** The numbers of a moment of the past, of which the API counts each type by itself. */
function PastTiles({ at }: { readonly at: string }) {
  return (
    <div className="tiles">
      {pastLists.map(([type, title]) => (
        <PastTile key={type} {...{ type, title, at }} />
      ))}
    </div>
  );
}

function PastTile({ type, title, at }: { readonly type: string; readonly title: string; readonly at: string }) {
  const { data } = useShortList(resourceTypes[type]?.list ?? '', { at, limit: 1, total: true }, []);
  return (
    <section className="tile" aria-label={title}>
      <h2>{title}</h2>
      <p className="number">{data?.total?.toLocaleString('en') ?? '…'}</p>
    </section>
  );
}

function Now({ summary }: { readonly summary: Summary }) {
  if (sumOf(summary['clusters'] ?? {}) === 0)
    return (
      <Empty title="No cluster yet">
        <p>A cluster is made of groups of nodes.</p>
        <p>
          <Link href="/change/cluster" className="primary">
            New cluster
          </Link>
        </p>
        <CommandLine>{shell`stave clusters create shop --set driver=fake`}</CommandLine>
      </Empty>
    );
  return (
    <div className="panels">
      <div className="panel-column">
        {panel('wrong', 'Needs attention', <Wrong at={undefined} />)}
        {panel('running', 'Under way', <Running />)}
      </div>
      <div className="panel-column">
        {panel('conductors', 'Conductors', <Conductors />)}
        <QuotaPanel />
      </div>
    </div>
  );
}

/** Counts, what is wrong, and what is under way: of one read each, however large the fleet is. */
export function OverviewPage() {
  const [at] = useMoment();
  const { data, error, refetch } = useSummary();
  return (
    <>
      <PageHead title="Overview" />
      {error ? <ErrorState error={error} retry={() => void refetch()} /> : null}
      {!data && !error ? <Loading /> : null}
      {data && at === undefined ? (
        <>
          <div className="tiles">
            {tiles.map(([type, title]) => (
              <Tile key={type} title={title} numbers={data[type] ?? {}} />
            ))}
          </div>
          <Now summary={data} />
        </>
      ) : null}
      {at === undefined ? null : (
        <>
          <PastTiles at={at} />
          <div className="panels">{panel('wrong', 'Needed attention', <Wrong at={at} />)}</div>
          <OnlyNow>Operations, conductors and quotas are known of now only, and left out.</OnlyNow>
        </>
      )}
      <CommandLine>{shell`stave clusters list --status DEGRADED,FAILED${flag('at', at)}`}</CommandLine>
    </>
  );
}
