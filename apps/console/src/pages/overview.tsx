import { Link } from 'wouter';
import { useConductors, useOperations, useSummary, useWrongClusters, type Summary } from '../api/queries.js';
import { Bar } from '../parts/bar.js';
import { OperationRow } from '../parts/operation-row.js';
import { PageHead } from '../parts/page-head.js';
import { CommandLine, Empty, ErrorState, Loading } from '../parts/states.js';
import { byConcern, Status } from '../parts/status.js';
import { Age } from '../parts/time.js';

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

function Wrong({ summary }: { readonly summary: Summary }) {
  const { data, error } = useWrongClusters();
  const { clusters = {} } = summary;
  const all = sumOf(clusters) - (clusters['ACTIVE'] ?? 0);
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
          <Link href="/clusters?sort=-updatedAt">and others: {all} clusters are not active</Link>
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

/** Counts, what is wrong, and what is under way: of one read each, however large the fleet is. */
export function OverviewPage() {
  const { data, error, refetch } = useSummary();
  const isEmpty = data !== undefined && sumOf(data['clusters'] ?? {}) === 0;
  return (
    <>
      <PageHead title="Overview" />
      {error ? <ErrorState error={error} retry={() => void refetch()} /> : null}
      {!data && !error ? <Loading /> : null}
      {data ? (
        <>
          <div className="tiles">
            {tiles.map(([type, title]) => (
              <Tile key={type} title={title} numbers={data[type] ?? {}} />
            ))}
          </div>
          {isEmpty ? (
            <Empty title="No cluster yet">
              <p>A cluster is made of groups of nodes. This makes one on the driver that needs no infrastructure:</p>
              <CommandLine>stave clusters create shop --set driver=fake</CommandLine>
            </Empty>
          ) : (
            <div className="panels">
              <section className="panel" aria-labelledby="wrong">
                <h2 id="wrong">Needs attention</h2>
                <Wrong summary={data} />
              </section>
              <section className="panel" aria-labelledby="running">
                <h2 id="running">Under way</h2>
                <Running />
              </section>
              <section className="panel" aria-labelledby="conductors">
                <h2 id="conductors">Conductors</h2>
                <Conductors />
              </section>
            </div>
          )}
          <CommandLine>stave clusters list --status DEGRADED,FAILED</CommandLine>
        </>
      ) : null}
    </>
  );
}
