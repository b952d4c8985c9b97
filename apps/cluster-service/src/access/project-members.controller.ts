import { Controller, Inject } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, type ResourceDocument, type ServiceRequest } from '@stave/contracts';
import { removeProjectMember, setProjectMember, type MemberRole, type ProjectState } from '@stave/domain';
import { Feed, keyedPage, type CommandReply, type ResourceCommands } from '@stave/service-kit';
import { projectResource } from './project.resource.js';
import { ProjectProjection, Projects, type Membership } from './projects.js';

const on = (verb: string): string => commandSubject('cluster-service', 'project', verb);

const DEFAULT_LIMIT = 100;

interface Member {
  readonly subject: string;
  readonly role: MemberRole;
}

interface PageOf {
  readonly id: string;
  readonly limit?: number;
  readonly cursor?: string;
}

interface MemberRef {
  readonly id: string;
  readonly subject: string;
}

/** An answer about a member is no resource of its own. */
const shown = (member: object): ResourceDocument => member as ResourceDocument;

/** The members of projects: subjects of tokens with a role in a project, beside what the rules of the gateways give. */
@Controller()
export class ProjectMembersController {
  constructor(
    @Inject(projectResource.commands) private readonly commands: ResourceCommands<ProjectState>,
    private readonly projects: Projects,
    private readonly projection: ProjectProjection,
    private readonly feed: Feed,
  ) {}

  @MessagePattern(on('members'))
  async members({ meta, body }: ServiceRequest<PageOf>): Promise<object> {
    const { id: ref, limit = DEFAULT_LIMIT, cursor } = body;
    await this.feed.caughtUp();
    const { id } = await this.projects.existing(meta, ref);
    const all = [...(this.projects.get(id)?.members ?? [])].map(([subject, role]): Member => ({ subject, role }));
    return keyedPage(all, ({ subject }) => subject, { list: `members of ${id}`, limit, cursor });
  }

  /** Returns where a subject is a member, for the gateway. */
  @MessagePattern(on('memberships'))
  async memberships({ body }: ServiceRequest<Pick<Member, 'subject'>>): Promise<readonly Membership[]> {
    await this.feed.caughtUp();
    return this.projection.membershipsOf(body.subject);
  }

  @MessagePattern(on('attach'))
  set({ meta, body: { id: ref, subject, role } }: ServiceRequest<MemberRef & Member>): Promise<CommandReply> {
    return this.commands.change(meta, {
      find: () => this.projects.existing(meta, ref),
      body: { subject, role },
      decide: state => setProjectMember(state, { subject, role }, meta.ifMatch),
      show: () => shown({ subject, role }),
    });
  }

  @MessagePattern(on('detach'))
  remove({ meta, body: { id: ref, subject } }: ServiceRequest<MemberRef>): Promise<CommandReply> {
    return this.commands.change(meta, {
      find: () => this.projects.existing(meta, ref),
      body: { removed: subject },
      decide: state => removeProjectMember(state, subject, meta.ifMatch),
    });
  }
}
