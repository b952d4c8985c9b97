import { useBelow } from '../api/lists.js';
import type { AuditEntry, Page } from '../api/types.js';
import { Pager, useCursors } from '../parts/pager.js';
import { Resource } from '../parts/resource.js';
import { Empty, ErrorState, Loading } from '../parts/states.js';
import { Age } from '../parts/time.js';
import { wordsOf } from '../parts/words.js';
import { NeedsRole } from './needs-role.js';

const LIMIT = 50;

function Entries({ project }: { readonly project: string }) {
  const cursors = useCursors();
  const { cursor } = cursors;
  const query = { projectId: project, limit: LIMIT, ...(cursor === undefined ? {} : { cursor }) };
  const { data, error, refetch } = useBelow<Page<AuditEntry>>('/v1/audit', [], query);
  if (error) return <ErrorState error={error} retry={() => void refetch()} />;
  if (!data) return <Loading />;
  return (
    <>
      {data.items.length === 0 ? <Empty title="Nothing was asked for yet" /> : null}
      <ol className="plain panel audit">
        {data.items.map(({ id, time, name, subject, operation, outcome, status, code, target, from }) => (
          <li key={id} className="line">
            <span className="strong">{wordsOf(operation)}</span>
            {target ? <Resource type={target.type} id={target.id} /> : null}
            <span className={outcome === 'refused' ? 'bad' : 'dim'}>
              {outcome} {outcome === 'refused' ? `${status} ${code ?? ''}` : ''}
            </span>
            <span className="space" />
            <span className="dim">
              {name ?? subject} from {from}, <Age time={time} />
            </span>
          </li>
        ))}
      </ol>
      <Pager {...{ cursors, next: data.nextCursor }} />
    </>
  );
}

/** The changes that were asked for in a project, accepted and refused ones, the newest first. */
export const Audit = ({ project }: { readonly project: string }) => (
  <NeedsRole role="operator" project={project} what="read the audit">
    <Entries project={project} />
  </NeedsRole>
);
