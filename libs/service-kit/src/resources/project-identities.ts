import { Inject, Injectable } from '@nestjs/common';
import { projectStream, type ProjectCreated, type ProjectState } from '@stave/domain';
import { idOf, type EventStore } from '@stave/platform';
import { EVENT_STORE } from '../composition/ports.js';
import { Feed } from '../events/feed.js';
import { ServiceSnapshots } from '../snapshots/service-snapshots.js';
import type { Folded } from '../snapshots/snapshot-fields.js';
import { ResourceModel } from './resource-model.js';

/** A project by its id and, where it is known, its name, which never changes. */
export interface ProjectIdentity {
  readonly projectId: string;
  readonly projectName?: string;
}

/** The names of projects, for drivers that are configured by them. */
@Injectable()
export class ProjectIdentities implements Folded {
  private readonly names = new Map<string, string>();

  constructor(
    feed: Feed,
    snapshots: ServiceSnapshots,
    @Inject(EVENT_STORE) private readonly store: EventStore,
  ) {
    snapshots.add('project-identities', this);
    feed.on('project', event => {
      if (event.type === 'ProjectCreated') this.names.set(idOf(event), (event.data as ProjectCreated['data']).name);
      if (event.type === 'ProjectDeleted') this.names.delete(idOf(event));
    });
  }

  get folded(): Folded['folded'] {
    return { names: this.names };
  }

  /** Returns what the events so far say. A project is older than its resources, so it is known when their events are. */
  of(projectId: string): ProjectIdentity {
    return identity(projectId, this.names.get(projectId));
  }

  /** Returns id and name of a project. Reads the log for one that was created a moment ago. */
  async read(projectId: string): Promise<ProjectIdentity> {
    const known = this.names.get(projectId);
    if (known !== undefined) return identity(projectId, known);
    const { state } = await new ResourceModel<ProjectState>(projectStream, this.store).lookUp(projectId);
    return identity(projectId, state?.project.name);
  }
}

const identity = (projectId: string, projectName: string | undefined): ProjectIdentity =>
  projectName === undefined ? { projectId } : { projectId, projectName };
