import { Injectable } from '@nestjs/common';
import type { ClusterTemplateState, NodeGroupTemplateState } from '@stave/domain';
import type { EventContext, Named } from '@stave/service-kit';
import { GroupsInside } from './groups-inside.js';
import { TemplateNames } from './template-names.js';

/** A node group template that moves into a cluster template, or out of one. */
export interface TemplateMove {
  readonly created: NonNullable<NodeGroupTemplateState['created']>;
  readonly eventCount: number;
  readonly parent?: Named<ClusterTemplateState>;
}

/** Reserves names for node group templates that are moved (ADR 11). */
@Injectable()
export class TemplateMoves {
  constructor(
    private readonly names: TemplateNames,
    private readonly inside: GroupsInside,
  ) {}

  /** Throws RefusedError `name-taken` when the name is not free at the destination. */
  async check(move: TemplateMove | undefined): Promise<void> {
    if (!move) return;
    await this.names.check(destination(move), move.created.name, move.created.id);
  }

  /** Takes the name at the destination for the next event of the template. False when nothing moves. */
  async takeName(move: TemplateMove | undefined, context: EventContext): Promise<boolean> {
    if (!move) return false;
    const { created, eventCount, parent } = move;
    if (parent) await this.inside.make(parent.state, context);
    await this.names.take(destination(move), created, context, eventCount);
    return true;
  }
}

const destination = ({
  created,
  parent,
}: TemplateMove): { readonly projectId: string; readonly clusterTemplateId: string | null } => ({
  projectId: created.projectId,
  clusterTemplateId: parent?.id ?? null,
});
