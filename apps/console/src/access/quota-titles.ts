export const titles = {
  clusters: 'Clusters',
  nodeGroups: 'Node groups',
  nodes: 'Nodes',
  cpus: 'CPUs',
  memoryMb: 'Memory, MB',
  containers: 'Containers',
  networks: 'Networks',
  volumes: 'Volumes',
  templates: 'Templates',
  keys: 'Keys',
} as const;

export type Dimension = keyof typeof titles;
export const dimensions = Object.keys(titles) as readonly Dimension[];
