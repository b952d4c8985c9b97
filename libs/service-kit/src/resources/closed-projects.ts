import { Injectable } from '@nestjs/common';
import { notFound, projectDisabled, type ProjectEvent, type Refusal } from '@stave/domain';
import { idOf } from '@stave/platform';
import { Feed } from '../events/feed.js';
import { ServiceSnapshots } from '../snapshots/service-snapshots.js';
import type { Folded } from '../snapshots/snapshot-fields.js';

/**
 * The number of deleted projects that are kept, the newest ones. They guard against late requests; ids of projects are used once, and the
 * gateway admits no new request in a project that does not exist.
 */
export const DELETED_PROJECTS_KEPT = 1024;

/** The projects in which requests change nothing: those that are disabled or deleted, as far as this process has seen. */
@Injectable()
export class ClosedProjects implements Folded {
  private readonly disabled = new Set<string>();
  /** Oldest first. */
  private readonly deleted = new Set<string>();

  constructor(feed: Feed, snapshots: ServiceSnapshots) {
    snapshots.add('closed-projects', this);
    feed.on('project', event => this.note(idOf(event), event.type as ProjectEvent['type']));
  }

  get folded(): Folded['folded'] {
    return { disabled: this.disabled, deleted: this.deleted };
  }

  /** Returns why nothing can be changed in the project; undefined where it can. */
  refusalIn(projectId: string): Refusal | undefined {
    if (this.deleted.has(projectId)) return notFound('the project');
    return this.disabled.has(projectId) ? projectDisabled : undefined;
  }

  private note(id: string, type: ProjectEvent['type']): void {
    if (type === 'ProjectDisabled') this.disabled.add(id);
    if (type === 'ProjectEnabled' || type === 'ProjectDeleted') this.disabled.delete(id);
    if (type === 'ProjectDeleted') this.deleted.add(id);
    for (const oldest of this.deleted) {
      if (this.deleted.size <= DELETED_PROJECTS_KEPT) break;
      this.deleted.delete(oldest);
    }
  }
}
