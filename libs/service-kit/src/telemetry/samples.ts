import type { ContainerUsageSamples, UsageSamples } from '@stave/contracts';

/** Returns whether it is a message with samples: lists of the same length. */
export const isNodeSamples = (payload: unknown): payload is UsageSamples => haveOneLength(payload, 'nodeIds');

export const isContainerSamples = (payload: unknown): payload is ContainerUsageSamples =>
  haveOneLength(payload, 'containerIds', 'nodeIds') && typeof Object(payload).periodMs === 'number';

function haveOneLength(payload: unknown, ...ids: readonly string[]): boolean {
  const message: Partial<Record<string, unknown>> = Object(payload);
  const optional = message['reserved'] === undefined ? [] : ['reserved'];
  const lists = [...ids, 'cpuCores', 'memoryMb', ...optional].map(name => message[name]);
  const [first] = lists;
  const count = Array.isArray(first) ? first.length : -1;
  return typeof message['at'] === 'string' && lists.every(list => Array.isArray(list) && list.length === count);
}
