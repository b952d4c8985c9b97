import { Link } from 'wouter';
import { listOf } from '../api/lists.js';
import { useSummary } from '../api/queries.js';
import type { Container } from '../api/types.js';
import { ListPage } from '../parts/list-page.js';
import { CommandLine, Empty } from '../parts/states.js';
import { containerColumns } from './container-columns.js';
import { shell } from '../parts/shell-command.js';

const kind = listOf<Container>('container');

/** All containers. */
export function ContainersPage() {
  const summary = useSummary();
  return (
    <ListPage
      title="Containers"
      what="containers"
      command={shell`stave containers list`}
      columns={containerColumns}
      kind={kind}
      href={({ id }) => `/containers/${id}`}
      numbers={summary.data?.['containers'] ?? {}}
      actions={
        <Link href="/change/container" className="primary">
          New container
        </Link>
      }
      empty={
        <Empty title="No container yet">
          <p>A profile says what a container is, and the scheduler chooses its node.</p>
          <CommandLine>{shell`stave containers create web-1 --set profile=web`}</CommandLine>
        </Empty>
      }
    />
  );
}
