import { Link } from 'wouter';
import { listOf } from '../api/lists.js';
import type { Policy } from '../api/types.js';
import { changedColumn, nameColumn } from '../parts/columns.js';
import { ListPage } from '../parts/list-page.js';
import { CommandLine, Empty } from '../parts/states.js';
import type { Column } from '../parts/virtual-table.js';
import { shell } from '../parts/shell-command.js';

const kind = listOf<Policy>('policy');

const columns: readonly Column<Policy>[] = [
  nameColumn('/policies'),
  { key: 'type', title: 'Type', width: '7rem', sort: 'type', cell: ({ type }) => type },
  {
    key: 'properties',
    title: 'Properties',
    width: 'minmax(0, 2.6fr)',
    isMinor: true,
    cell: ({ properties }) => <code>{JSON.stringify(properties)}</code>,
  },
  changedColumn(),
];

/** All policies. */
export const PoliciesPage = () => (
  <ListPage
    title="Policies"
    what="policies"
    command={shell`stave policies list`}
    href={({ id }) => `/policies/${id}`}
    actions={
      <Link href="/change/policy" className="primary">
        New policy
      </Link>
    }
    empty={
      <Empty title="No policy yet">
        <p>A policy says where containers go, how sets are scaled, what is deleted first, and when health counts.</p>
        <CommandLine>{shell`stave policies create spread --set type=placement --set properties.scorers.spread=2`}</CommandLine>
      </Empty>
    }
    {...{ kind, columns }}
  />
);
