import { Controller } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, type ServiceRequest } from '@stave/contracts';
import { SchedulerLookup } from '../scheduling/scheduler.lookup.js';
import { Explanations, type ShownExplanation } from './explanations.js';
import { ScalingExplanations } from './scaling-explanations.js';

interface ExplainRequest {
  readonly id: string;
  /** What is explained; default: a container. */
  readonly of?: 'containerSet' | 'nodeGroup';
  /** The only node that is asked about, by id or name. */
  readonly node?: string;
}

/** Answers why containers wait, and why sets and node groups stay as they are. */
@Controller()
export class ExplainController {
  constructor(
    private readonly lookup: SchedulerLookup,
    private readonly explanations: Explanations,
    private readonly scaling: ScalingExplanations,
  ) {}

  /** Throws RefusedError `not-found`, also for a node of another cluster, and `ambiguous-name`. */
  @MessagePattern(commandSubject('container-scheduler', 'container', 'explain'))
  async explain({ meta, body: { id, of, node } }: ServiceRequest<ExplainRequest>): Promise<ShownExplanation> {
    if (of === 'containerSet') {
      const { state } = await this.lookup.set(meta, id);
      return this.scaling.ofSet(state, node);
    }
    if (of === 'nodeGroup') {
      const { state } = await this.lookup.nodeGroup(meta, id);
      return this.scaling.ofNodeGroup(state, node);
    }
    const { state } = await this.lookup.container(meta, id);
    return this.explanations.ofContainer(state, node);
  }
}
