/** The abilities that a manifest may declare beyond the required operations on clusters and nodes. */
export const capabilities = [
  'containers',
  'containerLogs',
  'containerStats',
  'nodeUpdate',
  'credentials',
  'monitor',
] as const;
export type Capability = (typeof capabilities)[number];
