import type { Task } from '@stave/contracts';
import { omitUndefined } from '@stave/domain';
import { isTracing, traced, traceparent } from '@stave/platform';
import type { OperationTraces } from '../operations/operation-traces.js';

/** Claims a task in a trace of its own, linked to the command that it follows from. Without a traced command it only claims. */
export function tracedClaim(
  wanted: { readonly kind: string; readonly operationId: string } | undefined,
  traces: Pick<OperationTraces, 'of'> | undefined,
  claim: () => Promise<Task | undefined>,
): Promise<Task | undefined> {
  const cause = isTracing() ? traces?.of(wanted?.operationId ?? '') : undefined;
  if (!wanted || cause === undefined) return claim();
  return traced(`claim ${wanted.kind}`, { root: true, links: [cause] }, async span => {
    const task = await claim();
    return task && { ...task, ...omitUndefined({ traceparent: traceparent(span), causeTraceparent: cause }) };
  });
}
