import type { Container } from '../api/types.js';
import { changedColumn, clusterColumn, nameColumn } from '../parts/columns.js';
import { Resource } from '../parts/resource.js';
import { Status } from '../parts/status.js';
import type { Column } from '../parts/virtual-table.js';

const name = nameColumn<Container>('/containers', 'minmax(8rem, 1.2fr)');
const status: Column<Container> = {
  key: 'status',
  title: 'Status',
  width: 'minmax(7rem, 9.5rem)',
  sort: 'status',
  cell: ({ status: word, release }) => <Status status={release ? 'WAITING' : word} />,
};
const node: Column<Container> = {
  key: 'node',
  title: 'Node',
  width: 'minmax(0, 1fr)',
  cell: ({ nodeId }) => <Resource type="node" id={nodeId} />,
};
const image: Column<Container> = {
  key: 'image',
  title: 'Image',
  width: 'minmax(0, 1.4fr)',
  isMinor: true,
  cell: ({ image: text }) => <code>{text}</code>,
};
const cluster = clusterColumn<Container>('minmax(0, 0.9fr)');
const changed = changedColumn<Container>(true);

export const containerColumns: readonly Column<Container>[] = [name, status, node, cluster, image, changed];
/** Of the containers of one cluster. */
export const containerColumnsInCluster: readonly Column<Container>[] = [name, status, node, image, changed];
/** Of the containers on one node. */
export const containerColumnsOnNode: readonly Column<Container>[] = [name, status, image, changed];
