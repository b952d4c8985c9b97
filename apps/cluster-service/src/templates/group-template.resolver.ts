import { Injectable } from '@nestjs/common';
import type { Actor } from '@stave/contracts';
import type { ClusterTemplateState, NodeGroupSource, NodeGroupTemplateState } from '@stave/domain';
import { RingFollower } from '@stave/service-kit';
import { SourceFinder } from '../sources/source-finder.js';
import { planGroupTemplate, type GroupTemplateInput, type PlannedGroupTemplate } from './plan-template.js';
import { groupTemplateProblems, groupWarnings, offeredManifest } from './template-driver.js';

/** Resolves the attributes of a new node group template from the request and its source. */
@Injectable()
export class GroupTemplateResolver {
  constructor(
    private readonly ring: RingFollower,
    private readonly sources: SourceFinder,
  ) {}

  /** Finds what `from` names. Throws RefusedError. */
  async source(actor: Actor, { from }: GroupTemplateInput): Promise<NodeGroupSource | undefined> {
    return from && this.sources.nodeGroup(actor, from, '/from');
  }

  /** Throws RefusedError with every problem of the request. */
  async resolve(
    body: GroupTemplateInput,
    id: string,
    from: NodeGroupSource | undefined,
    parent: ClusterTemplateState | undefined,
  ): Promise<PlannedGroupTemplate> {
    const { attributes = {} } = parent ?? {};
    const { driver } = attributes;
    const manifest = offeredManifest(this.ring.view, attributes);
    const sources = { ...(from ? { from } : {}), ...(driver === undefined ? {} : { driver }) };
    return planGroupTemplate(body, sources, id, layers => (manifest ? groupTemplateProblems(manifest, layers) : []));
  }

  /** What of the template no live conductor offers now. */
  warnings(state: NodeGroupTemplateState, parent: ClusterTemplateState | undefined): ReturnType<typeof groupWarnings> {
    return groupWarnings(this.ring.view, state, parent);
  }
}
