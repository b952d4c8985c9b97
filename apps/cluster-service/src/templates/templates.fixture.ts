import { commandSubject, type RequestMeta } from '@stave/contracts';
import { nodeGroupTemplateStream, type NodeGroupTemplateEvent, type NodeGroupTemplateState } from '@stave/domain';
import type { RecordedEvent } from '@stave/platform';
import { ClustersHarness, type Replica } from '../clusters/clusters.fixture.js';

export type Kind = 'cluster-template' | 'node-group-template';

export interface TemplateView {
  readonly id: string;
  readonly name: string;
  readonly clusterTemplateId?: string | null;
  readonly nodeGroupTemplates?: readonly { readonly id: string; readonly name: string }[];
  readonly [member: string]: unknown;
}

/** A command on a template, as a client sends it. */
export interface Asked {
  readonly kind: Kind;
  readonly verb: 'create' | 'patch' | 'delete';
  readonly body: object;
}

/** Sends the command. Rejects with RefusedError. */
export async function asked(
  harness: ClustersHarness,
  replica: Replica,
  { kind, verb, body }: Asked,
  meta: Partial<RequestMeta> = {},
): Promise<TemplateView> {
  const subject = commandSubject('cluster-service', kind, verb);
  return (await harness.request<{ readonly resource: TemplateView }>(replica, subject, body, meta)).resource;
}

/** Resolves to `accepted`, or the code of the refusal. */
export const outcome = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => 'accepted',
    (e: { error?: { code: string } }) => e.error?.code ?? String(e),
  );

export const logOf = (harness: ClustersHarness): Promise<readonly RecordedEvent[]> =>
  harness.store.readAll({ limit: 100_000 });

/** Opens a harness whose log begins with these events of another, as if that had stopped after the last of them. */
export async function harnessAfter(events: readonly RecordedEvent[]): Promise<ClustersHarness> {
  const harness = await ClustersHarness.open();
  const own = new Set((await logOf(harness)).map(({ stream }) => stream));
  for (const { stream, revision, id, type, data, metadata } of events) {
    if (own.has(stream)) continue;
    const event = { id, type, data: data as object, metadata };
    await harness.store.append(stream, [event], revision === 0 ? 'no_stream' : revision - 1);
  }
  return harness;
}

/** Resolves to every node group template that exists, folded from the log. */
export async function groupTemplatesIn(harness: ClustersHarness): Promise<readonly NodeGroupTemplateState[]> {
  const states = new Map<string, NodeGroupTemplateState>();
  for (const { stream, type, data, metadata } of await logOf(harness)) {
    if (!stream.startsWith('nodeGroupTemplate-')) continue;
    const event = { type, data } as NodeGroupTemplateEvent;
    const after = nodeGroupTemplateStream.evolve(states.get(stream), event, metadata.time);
    if (after) states.set(stream, after);
  }
  return [...states.values()].filter(({ deleted }) => !deleted);
}
