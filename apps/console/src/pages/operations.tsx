import { useOperations } from '../api/queries.js';
import { StatusChips } from '../parts/filter.js';
import { OperationRow } from '../parts/operation-row.js';
import { PageHead } from '../parts/page-head.js';
import { CommandLine, ErrorState, Loading } from '../parts/states.js';
import { OnlyNow } from '../time/time-bar.js';
import { useUrl } from '../parts/use-url.js';
import { flag, shell } from '../parts/shell-command.js';

const LIMIT = 50;
const all = ['RUNNING', 'PENDING', 'FAILED', 'CANCELLED', 'SUCCEEDED'];
const types = ['cluster', 'node', 'nodeGroup', 'container', 'containerSet', 'network', 'volume', 'machine'];

/** The newest operations of every kind. */
export function OperationsPage() {
  const [get, set] = useUrl();
  const status = get('status');
  const query = { limit: LIMIT, sort: '-createdAt', total: true, ...(status === undefined ? {} : { status }) };
  const { data, error, refetch } = useOperations(query, { types });
  const left = (data?.total ?? 0) - (data?.items.length ?? 0);
  return (
    <>
      <PageHead title="Operations" />
      <OnlyNow>Operations are shown as they are now.</OnlyNow>
      <div className="toolbar">
        <StatusChips
          numbers={{}}
          statuses={all}
          chosen={status?.split(',') ?? []}
          onChange={chosen => set({ status: chosen.join() })}
        />
      </div>
      {error ? <ErrorState error={error} retry={() => void refetch()} /> : null}
      {!data && !error ? <Loading /> : null}
      <ul className="plain panel">
        {data?.items.map(operation => (
          <OperationRow key={operation.id} operation={operation} />
        ))}
        {data?.items.length === 0 ? <li className="dim">No operation like this.</li> : null}
      </ul>
      {left > 0 ? <p className="dim note">{left.toLocaleString('en')} older ones are not shown.</p> : null}
      <CommandLine>{shell`stave operations list${flag('status', status)}`}</CommandLine>
    </>
  );
}
