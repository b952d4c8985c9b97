/** What a driver may declare beyond the required lifecycle. */
export const capabilities = ['containers', 'containerLogs', 'containerStats', 'nodeUpdate', 'credentials'] as const;
export type Capability = (typeof capabilities)[number];
