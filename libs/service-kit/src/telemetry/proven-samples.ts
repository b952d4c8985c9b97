import {
  containerUsageSubject,
  groupContainerUsageSubject,
  groupUsageSubject,
  usageSubject,
  type ContainerUsageSamples,
  type UsageSamples,
} from '@stave/contracts';
import type { Messaging, MessageSubscription } from '@stave/platform';
import type { GroupProof } from '../ring/group-proof.js';
import { isContainerSamples, isNodeSamples } from './samples.js';

/** Who takes samples, and to which conductor group each belongs; undefined for what this service does not know, whose sample is dropped. */
export interface SampleReader {
  readonly nodes: (samples: UsageSamples) => void;
  readonly containers: (samples: ContainerUsageSamples) => void;
  readonly groupOfNode: (nodeId: string) => string | undefined;
  /** `nodeId`: the node that the sample names. */
  readonly groupOfContainer: (containerId: string, nodeId: string) => string | undefined;
}

/**
 * Subscribes to the samples of all conductors. Of a message on a subject with the token of a group, the reader gets the samples of what
 * belongs to this group only. Conductors of earlier releases publish without a token, which permissions of NATS do not let others do.
 */
export function followSamples(
  messaging: Messaging,
  proof: Pick<GroupProof, 'mayWorkFor'>,
  reader: SampleReader,
): readonly MessageSubscription[] {
  const isProven = (subject: string, group: string | undefined): boolean =>
    group !== undefined && proof.mayWorkFor(subject.split('.').at(-1) ?? '', group);
  const nodes = (payload: unknown): void => {
    if (isNodeSamples(payload)) reader.nodes(payload);
  };
  const containers = (payload: unknown): void => {
    if (isContainerSamples(payload)) reader.containers(payload);
  };
  return [
    messaging.subscribe(usageSubject, nodes),
    messaging.subscribe(containerUsageSubject, containers),
    messaging.subscribe(groupUsageSubject('*'), (payload, subject) => {
      if (!isNodeSamples(payload)) return;
      reader.nodes(
        selected(payload, ['nodeIds'], i => isProven(subject, reader.groupOfNode(payload.nodeIds[i] ?? ''))),
      );
    }),
    messaging.subscribe(groupContainerUsageSubject('*'), (payload, subject) => {
      if (!isContainerSamples(payload)) return;
      const { containerIds, nodeIds } = payload;
      const groupOf = (i: number) => reader.groupOfContainer(containerIds[i] ?? '', nodeIds[i] ?? '');
      reader.containers(selected(payload, ['containerIds', 'nodeIds'], i => isProven(subject, groupOf(i))));
    }),
  ];
}

/** Returns the samples whose index fits: the message itself where all do. */
function selected<S extends UsageSamples>(samples: S, ids: readonly (keyof S)[], fits: (index: number) => boolean): S {
  const kept = samples.cpuCores.map((_, i) => fits(i));
  if (kept.every(Boolean)) return samples;
  const lists = [...ids, 'cpuCores', 'memoryMb', ...(samples.reserved ? ['reserved'] : [])] as (keyof S)[];
  const some = (list: unknown): unknown => (Array.isArray(list) ? list.filter((_, i) => kept[i]) : list);
  return { ...samples, ...Object.fromEntries(lists.map(name => [name, some(samples[name])])) };
}
