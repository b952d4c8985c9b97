/** What a driver may declare beyond the required lifecycle. */
export const capabilities = [
  'containers',
  'containerLogs',
  'containerStats',
  'nodeUpdate',
  'credentials',
  'monitor',
] as const;
export type Capability = (typeof capabilities)[number];
