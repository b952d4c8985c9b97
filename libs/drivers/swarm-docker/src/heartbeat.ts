import type { ClusterSpec } from '@stave/driver-sdk';

/** The interval of the heartbeats from the nodes of a cluster to its managers, in seconds. */
export const heartbeatSecondsOf = ({ options }: Pick<ClusterSpec, 'options'>): number =>
  Number(options['heartbeatSeconds'] ?? 1);

/** The interval as the engine counts it, in nanoseconds. */
export const heartbeatPeriod = (seconds: number): number => seconds * 1e9;
