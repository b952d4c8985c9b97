import { listOf } from '../api/lists.js';
import { useWhoAmI } from './who-am-i.js';
import type { Project } from '../api/types.js';
import { nameColumn } from '../parts/columns.js';
import { ListPage } from '../parts/list-page.js';
import { Empty } from '../parts/states.js';
import { Status } from '../parts/status.js';
import { Age } from '../parts/time.js';
import type { Column } from '../parts/virtual-table.js';
import { shell } from '../parts/shell-command.js';

const kind = listOf<Project>('project');

const columns: readonly Column<Project>[] = [
  nameColumn('/access', 'minmax(8rem, 1fr)', 'Project'),
  { key: 'status', title: 'Status', width: '7rem', cell: ({ status }) => <Status status={status} /> },
  {
    key: 'about',
    title: 'Description',
    width: 'minmax(0, 2fr)',
    isMinor: true,
    cell: ({ description }) => description,
  },
  {
    key: 'made',
    title: 'Created',
    width: '6.5rem',
    sort: 'createdAt',
    cell: ({ createdAt }) => <Age time={createdAt} />,
  },
];

/** Says who one is here. */
function Me() {
  const { data: me } = useWhoAmI();
  if (!me) return null;
  const { name, subject, method, expiresAt, operator, projects } = me;
  return (
    <section className="panel me" aria-label="Who you are">
      <div className="line">
        <span className="strong">{name ?? subject}</span>
        <span className="dim">by {method === 'api-key' ? 'API key' : method}</span>
        {operator ? <span className="tag">operator</span> : null}
        <span className="space" />
        <span className="dim">
          {expiresAt === null ? 'does not expire' : `until ${new Date(expiresAt).toLocaleString()}`}
        </span>
      </div>
      {operator ? null : (
        <p className="dim">
          {projects.length === 0
            ? 'You have no role in any project.'
            : projects.map(project => `${project.role} of ${project.name}`).join(', ')}
        </p>
      )}
    </section>
  );
}

/** Projects, with their members, keys and quotas behind them. */
export const AccessPage = () => (
  <ListPage
    title="Access"
    what="projects"
    command={shell`stave projects list`}
    href={({ id }) => `/access/${id}`}
    above={<Me />}
    empty={<Empty title="No project that you may see" />}
    {...{ kind, columns }}
  />
);
