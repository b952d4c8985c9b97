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
import type { SampledNode, SampledNodes } from './sampled-nodes.js';
import { isContainerSamples, isNodeSamples } from './samples.js';

/** Who takes samples, and to which conductor group each belongs; undefined for what this service does not know, whose sample is dropped. */
export interface SampleReader<N extends SampledNode> {
  readonly known: SampledNodes<N>;
  /** `of`: the nodes of the samples in their order; undefined where a sample is not to be taken. */
  readonly nodes: (samples: UsageSamples, of: readonly (N | undefined)[]) => void;
  readonly containers: (samples: ContainerUsageSamples) => void;
  readonly groupOfNode: (node: Pick<SampledNode, 'clusterId' | 'nodeGroupId'>) => string | undefined;
  /** `nodeId`: the node that the sample names. */
  readonly groupOfContainer: (containerId: string, nodeId: string) => string | undefined;
}

/**
 * Subscribes to the samples of all conductors. Of a message on a subject with the token of a group, the reader gets the samples of what
 * belongs to this group only. Conductors of earlier releases publish without a token, which permissions of NATS do not let others do.
 */
export function followSamples<N extends SampledNode>(
  messaging: Messaging,
  proof: Pick<GroupProof, 'mayWorkFor'>,
  reader: SampleReader<N>,
): readonly MessageSubscription[] {
  const { known } = reader;
  const isProvenBy = (subject: string) => {
    const token = subject.slice(subject.lastIndexOf('.') + 1);
    return (group: string | undefined): boolean => group !== undefined && proof.mayWorkFor(token, group);
  };
  return [
    messaging.subscribe(usageSubject, payload => {
      if (isNodeSamples(payload)) reader.nodes(payload, known.of(payload.nodeIds));
    }),
    messaging.subscribe(containerUsageSubject, payload => {
      if (isContainerSamples(payload)) reader.containers(payload);
    }),
    messaging.subscribe(groupUsageSubject('*'), (payload, subject) => {
      if (!isNodeSamples(payload)) return;
      const isProven = isProvenBy(subject);
      reader.nodes(
        payload,
        ofGroup(known.of(payload.nodeIds), node => isProven(reader.groupOfNode(node))),
      );
    }),
    messaging.subscribe(groupContainerUsageSubject('*'), (payload, subject) => {
      if (!isContainerSamples(payload)) return;
      const { containerIds, nodeIds } = payload;
      const isProven = isProvenBy(subject);
      const groupOf = (i: number) => reader.groupOfContainer(containerIds[i] ?? '', nodeIds[i] ?? '');
      reader.containers(selected(payload, i => isProven(groupOf(i))));
    }),
  ];
}

/** Returns the nodes with undefined in the place of each that does not fit. Nodes of one node group, which mostly follow each other, are checked once. */
function ofGroup<N extends SampledNode>(
  nodes: readonly (N | undefined)[],
  fits: (node: N) => boolean,
): (N | undefined)[] {
  let checked: N | undefined;
  let isFitting = false;
  return nodes.map(node => {
    if (!node) return undefined;
    if (node.nodeGroupId !== checked?.nodeGroupId) isFitting = fits(node);
    checked = node;
    return isFitting ? node : undefined;
  });
}

/** Returns the samples whose index fits: the message itself where all do. */
function selected(samples: ContainerUsageSamples, fits: (index: number) => boolean): ContainerUsageSamples {
  const kept = samples.cpuCores.map((_, i) => fits(i));
  if (kept.every(Boolean)) return samples;
  const some = <T>(list: readonly T[]): readonly T[] => list.filter((_, i) => kept[i]);
  const { containerIds, nodeIds, cpuCores, memoryMb } = samples;
  return {
    ...samples,
    ...{ containerIds: some(containerIds), nodeIds: some(nodeIds) },
    ...{ cpuCores: some(cpuCores), memoryMb: some(memoryMb) },
  };
}
