interface ResourceType {
  /** As pages say it. */
  readonly title: string;
  /** Where the API lists them. */
  readonly list: string;
  /** The page of one of them; absent where there is none. */
  readonly page?: string;
  /** As the command line says it. */
  readonly noun: string;
}

/** What the API has pages, lists and names of, by the type in subjects of events and targets of operations. */
export const resourceTypes: Readonly<Record<string, ResourceType>> = {
  cluster: { title: 'cluster', list: '/v1/clusters', page: '/clusters', noun: 'clusters' },
  nodeGroup: { title: 'node group', list: '/v1/node-groups', page: '/groups', noun: 'node-groups' },
  node: { title: 'node', list: '/v1/nodes', page: '/nodes', noun: 'nodes' },
  container: { title: 'container', list: '/v1/containers', page: '/containers', noun: 'containers' },
  containerSet: { title: 'container set', list: '/v1/container-sets', page: '/sets', noun: 'container-sets' },
  containerProfile: {
    title: 'container profile',
    list: '/v1/container-profiles',
    page: '/profiles',
    noun: 'container-profiles',
  },
  policy: { title: 'policy', list: '/v1/policies', page: '/policies', noun: 'policies' },
  network: { title: 'network', list: '/v1/networks', noun: 'networks' },
  volume: { title: 'volume', list: '/v1/volumes', noun: 'volumes' },
  machine: { title: 'machine', list: '/v1/machines', page: '/machines', noun: 'machines' },
  project: { title: 'project', list: '/v1/projects', page: '/access', noun: 'projects' },
  clusterTemplate: {
    title: 'cluster template',
    list: '/v1/cluster-templates',
    page: '/templates/cluster',
    noun: 'cluster-templates',
  },
  nodeGroupTemplate: {
    title: 'node group template',
    list: '/v1/node-group-templates',
    page: '/templates/node-group',
    noun: 'node-group-templates',
  },
};

/** The page of a resource; undefined where there is none. */
export function pageOf(type: string, id: string): string | undefined {
  const page = resourceTypes[type]?.page;
  return page === undefined ? undefined : `${page}/${id}`;
}
