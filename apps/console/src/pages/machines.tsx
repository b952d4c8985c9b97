import { listOf } from '../api/lists.js';
import type { Machine } from '../api/types.js';
import { VerbButtons } from '../changes/verb-buttons.js';
import { DetailPage } from '../parts/detail-page.js';
import { changedColumn, nameColumn, statusColumn } from '../parts/columns.js';
import { ListPage } from '../parts/list-page.js';
import { Resource } from '../parts/resource.js';
import { CommandLine, Empty } from '../parts/states.js';
import { Status } from '../parts/status.js';
import type { Column } from '../parts/virtual-table.js';
import { shell } from '../parts/shell-command.js';

const kind = listOf<Machine>('machine');
const statuses = ['AVAILABLE', 'CLAIMED', 'CLEANING', 'QUARANTINED', 'MAINTENANCE', 'UNREACHABLE'];

const columns: readonly Column<Machine>[] = [
  nameColumn('/machines'),
  statusColumn('minmax(7rem, 9rem)'),
  { key: 'zone', title: 'Zone', width: '5rem', sort: 'zone', cell: ({ zone }) => zone },
  {
    key: 'capacity',
    title: 'Capacity',
    width: 'minmax(0, 1fr)',
    sort: 'capacity.cpus',
    isMinor: true,
    cell: ({ capacity }) =>
      capacity ? `${capacity.cpus ?? '?'} CPU, ${Math.round((capacity.memoryMb ?? 0) / 1024)} GB` : '',
  },
  {
    key: 'node',
    title: 'Node',
    width: 'minmax(0, 1fr)',
    isMinor: true,
    cell: ({ nodeId }) => <Resource type="node" id={nodeId} />,
  },
  {
    key: 'labels',
    title: 'Labels',
    width: 'minmax(0, 1.2fr)',
    isMinor: true,
    cell: ({ labels }) => (
      <code>
        {Object.entries(labels)
          .map(([key, value]) => `${key}=${value}`)
          .join(' ')}
      </code>
    ),
  },
  changedColumn(true),
];

/** Machines that exist, of which node groups make nodes. */
export const MachinesPage = () => (
  <ListPage
    title="Machines"
    what="machines"
    command={shell`stave machines list`}
    href={({ id }) => `/machines/${id}`}
    empty={
      <Empty title="No machine">
        <p>Operators register machines that exist; node groups with a machine selector make their nodes of them.</p>
        <CommandLine>{shell`stave machines create rack-1 --set engine.url=tcp://10.0.0.5:2376`}</CommandLine>
      </Empty>
    }
    {...{ kind, columns, statuses }}
  />
);

const verbsOf = ({ status }: Machine): readonly string[] =>
  status === 'MAINTENANCE' ? ['resume'] : status === 'QUARANTINED' ? ['clean'] : ['drain'];

/** A machine: what it is, whose node is on it, and what happened to it. */
export const MachinePage = ({ id, tab }: { readonly id: string; readonly tab: string | undefined }) => (
  <DetailPage<Machine>
    type="machine"
    within={['/machines', 'Machines']}
    facts={({ status, statusReason, engine, capacity, nodeId, clusterId, zone }) => (
      <>
        <p className="facts">
          <Status status={status} />
          <code>{engine.url}</code>
          {capacity ? (
            <span className="dim">
              {capacity.cpus ?? '?'} CPU, {capacity.memoryMb ?? '?'} MB
            </span>
          ) : null}
          {zone ? <span className="dim">zone {zone}</span> : null}
          {nodeId ? (
            <span>
              node <Resource type="node" id={nodeId} /> of <Resource type="cluster" id={clusterId} />
            </span>
          ) : null}
        </p>
        {statusReason ? <p className="reason">{statusReason}</p> : null}
      </>
    )}
    actions={machine => <VerbButtons type="machine" id={machine.id} name={machine.name} verbs={verbsOf(machine)} />}
    parts={[]}
    {...{ id, tab }}
  />
);
