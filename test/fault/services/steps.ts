import type { ServiceProcessName } from '../../distributed/stack.js';
import type { SeenAppend } from './watched-store.js';

/** One append of a request's work: the nth with this label. */
export interface Step {
  readonly service: ServiceProcessName;
  /** E.g. `node TaskCompleted+NodeBecameActive`. */
  readonly label: string;
  readonly nth: number;
}

const writers: Readonly<Record<string, ServiceProcessName>> = {
  idempotency: 'cluster-service',
  name: 'cluster-service',
  cluster: 'cluster-service',
  clusterGroups: 'nodegroup-service',
  nodeGroup: 'nodegroup-service',
  node: 'nodegroup-service',
  placement: 'container-scheduler',
};

/** Numbers the appends of one request's work as they come. */
export class StepCounter {
  private readonly counts = new Map<string, number>();

  /** Throws for a stream of which the tests do not know who writes it. */
  next({ stream, types }: SeenAppend): Step {
    const category = stream.slice(0, stream.indexOf('-'));
    const service = writers[category];
    if (service === undefined) throw new Error(`who writes ${stream}?`);
    const label = `${category} ${[...new Set(types)].join('+')}`;
    const nth = (this.counts.get(label) ?? 0) + 1;
    this.counts.set(label, nth);
    return { service, label, nth };
  }
}

/** A step in words. */
export function describeStep(step: Step | undefined): string {
  return step === undefined ? 'the request' : `${step.service}: ${step.label} #${step.nth}`;
}

/** Of the steps that differ in their number only, the first one. Which of the others there are depends on what happens to come together. */
export function firstOfEach(steps: readonly Step[]): readonly Step[] {
  return steps.filter(({ nth }) => nth === 1);
}

/** The first and the last of them. */
export function firstAndLastOfEach(steps: readonly Step[]): readonly Step[] {
  const last = new Map(steps.map(({ label, nth }) => [label, nth]));
  return steps.filter(({ label, nth }) => nth === 1 || nth === last.get(label));
}
