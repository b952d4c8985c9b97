import { Fragment, type ReactNode } from 'react';
import { listOf } from '../api/lists.js';
import type { ListKind } from '../api/queries.js';
import { resourceTypes } from '../api/resource-types.js';
import type { ClusterTemplate, ContainerProfile, NodeGroupTemplate } from '../api/types.js';
import { EditLink } from '../changes/edit-link.js';
import { changedColumn, nameColumn } from '../parts/columns.js';
import { DetailPage } from '../parts/detail-page.js';
import { PageHead } from '../parts/page-head.js';
import { ResourceTable } from '../parts/resource-table.js';
import { Resource } from '../parts/resource.js';
import { CommandLine, Empty } from '../parts/states.js';
import { Tabs } from '../parts/tabs.js';
import { Age } from '../parts/time.js';
import { capitalised } from '../parts/words.js';
import type { Column } from '../parts/virtual-table.js';
import { shell, type ShellCommand } from '../parts/shell-command.js';

interface Named {
  readonly id: string;
  readonly name: string;
  readonly updatedAt: string;
}

const clusterKind = listOf<ClusterTemplate>('clusterTemplate');
const clusterColumns: readonly Column<ClusterTemplate>[] = [
  nameColumn('/templates/cluster'),
  { key: 'driver', title: 'Driver', width: 'minmax(0, 0.8fr)', sort: 'driver', cell: ({ driver }) => driver },
  {
    key: 'about',
    title: 'Description',
    width: 'minmax(0, 2fr)',
    isMinor: true,
    cell: ({ description }) => description,
  },
  changedColumn(),
];
const groupKind = listOf<NodeGroupTemplate>('nodeGroupTemplate');
const groupColumns: readonly Column<NodeGroupTemplate>[] = [
  nameColumn('/templates/node-group'),
  {
    key: 'size',
    title: 'Nodes',
    width: 'minmax(0, 1fr)',
    sort: 'count',
    cell: ({ count, flavor }) => `${count ?? '?'} × ${flavor?.cpus ?? '?'} CPU`,
  },
  {
    key: 'cluster',
    title: 'Cluster template',
    width: 'minmax(0, 1fr)',
    isMinor: true,
    cell: ({ clusterTemplateId }) => <Resource type="clusterTemplate" id={clusterTemplateId} />,
  },
  changedColumn(),
];
const profileKind = listOf<ContainerProfile>('containerProfile');
const profileColumns: readonly Column<ContainerProfile>[] = [
  nameColumn('/profiles'),
  { key: 'image', title: 'Image', width: 'minmax(0, 1.6fr)', sort: 'image', cell: ({ image }) => <code>{image}</code> },
  {
    key: 'resources',
    title: 'Resources',
    width: 'minmax(0, 1fr)',
    isMinor: true,
    cell: ({ resources }) => `${resources?.cpus ?? 0} CPU, ${resources?.memoryMb ?? 0} MB`,
  },
  changedColumn(),
];

const tabs = [
  ['clusters', 'Clusters'],
  ['node-groups', 'Node groups'],
  ['containers', 'Container profiles'],
] as const;

type TemplateType = 'clusterTemplate' | 'nodeGroupTemplate' | 'containerProfile';

interface TableProps<T extends Named> {
  readonly type: TemplateType;
  readonly kind: ListKind<T>;
  readonly columns: readonly Column<T>[];
  /** After the command that creates one. */
  readonly example: ShellCommand;
}

function Table<T extends Named>({ type, kind, columns, example }: TableProps<T>) {
  const { title = type, noun = type, page = '' } = resourceTypes[type] ?? {};
  return (
    <ResourceTable
      label={`${capitalised(title)}s`}
      what={`${title}s`}
      command={shell`stave ${noun} list`}
      href={({ id }) => `${page}/${id}`}
      empty={
        <Empty title={`No ${title} yet`}>
          <CommandLine>{shell`stave ${noun} create ${example}`}</CommandLine>
        </Empty>
      }
      {...{ kind, columns }}
    />
  );
}

const tables: Readonly<Record<string, ReactNode>> = {
  clusters: (
    <Table type="clusterTemplate" kind={clusterKind} columns={clusterColumns} example={shell`edge --set driver=fake`} />
  ),
  'node-groups': (
    <Table
      type="nodeGroupTemplate"
      kind={groupKind}
      columns={groupColumns}
      example={shell`edge-workers --set role=worker --set count=3 --set flavor.cpus=2 --set flavor.memoryMb=4096`}
    />
  ),
  containers: (
    <Table
      type="containerProfile"
      kind={profileKind}
      columns={profileColumns}
      example={shell`web --set image=nginx:1 --set hostCluster=shop`}
    />
  ),
};

/** What clusters, node groups and containers are made from. */
export const TemplatesPage = ({ tab }: { readonly tab: string }) => (
  <>
    <PageHead title="Templates" />
    <Tabs label="Kinds of templates" base="/templates" {...{ tab, tabs }} />
    <Fragment key={tab}>{tables[tab] ?? <Empty title="There is no such part" />}</Fragment>
  </>
);

interface TemplatePageProps {
  readonly type: TemplateType;
  readonly id: string;
  readonly tab: string | undefined;
}

interface AnyTemplate extends Named {
  readonly description?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** A template or profile: what it says, and what happened to it. */
export const TemplatePage = ({ type, id, tab }: TemplatePageProps) => (
  <DetailPage<AnyTemplate>
    within={['/templates/clusters', 'Templates']}
    facts={({ description, updatedAt }) => (
      <p className="facts">
        {description ? <span>{description}</span> : null}
        <span className="dim">
          changed <Age time={updatedAt} />
        </span>
      </p>
    )}
    actions={({ name, labels }) => (
      <EditLink path={`${resourceTypes[type]?.list}/${id}`} body={{ labels: labels ?? {} }} title={`Change ${name}`} />
    )}
    parts={[]}
    {...{ type, id, tab: tab ?? 'json' }}
  />
);
