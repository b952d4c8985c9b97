import { Injectable } from '@nestjs/common';
import { notFound, projectDisabled, type ProjectEvent, type Refusal } from '@stave/domain';
import { idOf } from '@stave/platform';
import { Feed } from '../events/feed.js';
import { ServiceSnapshots } from '../snapshots/service-snapshots.js';
import type { Folded } from '../snapshots/snapshot-fields.js';

/** The projects in which requests change nothing: those that are disabled or deleted, as far as this process has seen. */
@Injectable()
export class ClosedProjects implements Folded {
  private readonly refusals = new Map<string, 'disabled' | 'deleted'>();

  constructor(feed: Feed, snapshots: ServiceSnapshots) {
    snapshots.add('closed-projects', this);
    feed.on('project', event => this.note(idOf(event), event.type as ProjectEvent['type']));
  }

  get folded(): Folded['folded'] {
    return { refusals: this.refusals };
  }

  /** Returns why nothing can be changed in the project; undefined where it can. */
  refusalIn(projectId: string): Refusal | undefined {
    const closed = this.refusals.get(projectId);
    if (closed === undefined) return undefined;
    return closed === 'disabled' ? projectDisabled : notFound('the project');
  }

  private note(id: string, type: ProjectEvent['type']): void {
    if (type === 'ProjectDisabled') this.refusals.set(id, 'disabled');
    if (type === 'ProjectEnabled') this.refusals.delete(id);
    if (type === 'ProjectDeleted') this.refusals.set(id, 'deleted');
  }
}
