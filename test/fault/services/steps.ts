import type { ServiceProcessName } from '../../distributed/stack.js';
import type { SeenAppend } from './watched-store.js';

/** An append that belongs to a request: the nth one with this label. */
export interface Step {
  readonly service: ServiceProcessName;
  /** For example `node TaskCompleted+NodeBecameActive`. */
  readonly label: string;
  readonly nth: number;
}

const writers: Readonly<Record<string, ServiceProcessName>> = {
  idempotency: 'cluster-service',
  name: 'cluster-service',
  quota: 'cluster-service',
  cluster: 'cluster-service',
  clusterGroups: 'nodegroup-service',
  nodeGroup: 'nodegroup-service',
  node: 'nodegroup-service',
  placement: 'container-scheduler',
};

/** Numbers the appends of one request in the order of their arrival. */
export class StepCounter {
  private readonly counts = new Map<string, number>();

  /** Throws for a stream whose writer is not in `writers`. */
  next({ stream, types }: SeenAppend): Step {
    const category = stream.slice(0, stream.indexOf('-'));
    const service = writers[category];
    if (service === undefined)
      throw new Error(`no service is known to write ${stream}; add its category to the writers`);
    const label = `${category} ${[...new Set(types)].join('+')}`;
    const nth = (this.counts.get(label) ?? 0) + 1;
    this.counts.set(label, nth);
    return { service, label, nth };
  }
}

/** Formats a step for messages. */
export function describeStep(step: Step | undefined): string {
  return step === undefined ? 'the request' : `${step.service}: ${step.label} #${step.nth}`;
}

/** Returns the first step of each label. The number of further ones depends on how services batch their appends. */
export function firstOfEach(steps: readonly Step[]): readonly Step[] {
  return steps.filter(({ nth }) => nth === 1);
}

/** Returns the first and the last step of each label. */
export function firstAndLastOfEach(steps: readonly Step[]): readonly Step[] {
  const last = new Map(steps.map(({ label, nth }) => [label, nth]));
  return steps.filter(({ label, nth }) => nth === 1 || nth === last.get(label));
}
