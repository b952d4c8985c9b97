import { Controller, Inject } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, type RequestMeta, type ServiceRequest } from '@stave/contracts';
import {
  containerProfileStream,
  createContainerProfile,
  deleteContainerProfile,
  mergePatch,
  omitUndefined,
  updateContainerProfile,
  type ContainerProfileSpec,
  type ContainerProfileState,
  type PlacementTarget,
  type TargetNode,
} from '@stave/domain';
import { projectOf, type CommandReply, type ResourceCommands } from '@stave/service-kit';
import { SchedulerLookup } from '../scheduling/scheduler.lookup.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { contentsOf, type ContentsInput } from './container-contents.js';
import { resolvePlacementTarget } from './placement-target.js';
import { profileResource } from './profile.resource.js';

const on = (verb: string): string => commandSubject('container-scheduler', 'container-profile', verb);

interface Ref {
  readonly id: string;
}

interface ProfileInput extends ContentsInput, PlacementTarget {
  readonly name?: string;
  readonly description?: string;
}

/** A merge patch: null removes a member. */
type ProfilePatch = Readonly<Record<string, unknown>>;

/** Commands on container profiles; they start no operations. */
@Controller()
export class ProfileController {
  constructor(
    @Inject(profileResource.commands) private readonly commands: ResourceCommands<ContainerProfileState>,
    private readonly projection: SchedulerProjection,
    private readonly lookup: SchedulerLookup,
  ) {}

  @MessagePattern(on('create'))
  create({ meta, body }: ServiceRequest<ProfileInput>): Promise<CommandReply> {
    const projectId = projectOf(meta.actor);
    return this.commands.create(meta, {
      body,
      starts: false,
      resolve: async ({ resourceId: id }) => {
        const { hosts } = await resolvePlacementTarget(this.lookup, meta, body);
        return { id, projectId, name: body.name ?? `profile-${id.slice(-6)}`, spec: specOf(body, hosts) };
      },
      scope: () => ({ projectId }),
      before: (profile, context) => this.lookup.profileNames.reserve(profile, context),
      exists: state => state.created !== undefined,
      decide: profile => createContainerProfile(containerProfileStream.initial, profile),
    });
  }

  @MessagePattern(on('patch'))
  patch({ meta, body: { id: ref, patch } }: ServiceRequest<Ref & { readonly patch: ProfilePatch }>) {
    let hosts: PlacementTarget = {};
    return this.commands.change(meta, {
      find: () => this.idOf(meta, ref),
      body: patch,
      starts: false,
      check: async () => {
        hosts = await this.patchedTarget(meta, patch);
      },
      decide: state =>
        updateContainerProfile(state, {
          change: spec => merged(spec, { ...patch, ...hosts }),
          nodeOf: id => this.nodeView(id),
          ifMatch: meta.ifMatch,
        }),
    });
  }

  @MessagePattern(on('delete'))
  remove({ meta, body: { id: ref } }: ServiceRequest<Ref>): Promise<CommandReply> {
    return this.commands.change(meta, {
      find: () => this.idOf(meta, ref),
      body: { delete: true },
      starts: false,
      decide: state => deleteContainerProfile(state, meta.ifMatch),
      after: async ({ created }, context) => {
        if (created) await this.lookup.profileNames.release(created, context);
        return -1;
      },
    });
  }

  /** Returns the ids of the hosts that the patch gives by id or name. */
  private async patchedTarget(meta: RequestMeta, { hostNode, hostCluster }: ProfilePatch): Promise<PlacementTarget> {
    const wanted = {
      ...(typeof hostNode === 'string' ? { hostNode } : {}),
      ...(typeof hostCluster === 'string' ? { hostCluster } : {}),
    };
    return Object.keys(wanted).length === 0 ? {} : (await resolvePlacementTarget(this.lookup, meta, wanted)).hosts;
  }

  private nodeView(id: string): TargetNode | undefined {
    const clusterId = this.projection.nodes.get(id)?.declared?.clusterId;
    return clusterId === undefined ? undefined : { id, clusterId };
  }

  private async idOf(meta: RequestMeta, ref: string): Promise<string> {
    return (await this.lookup.profile(meta, ref)).id;
  }
}

const specOf = (input: ProfileInput, { hostNode, hostCluster }: PlacementTarget): ContainerProfileSpec => ({
  contents: contentsOf(input),
  ...omitUndefined({ hostNode, hostCluster, description: input.description }),
});

/** Applies the patch; the decider checks whether the result is complete. */
function merged({ contents, ...rest }: ContainerProfileSpec, patch: ProfilePatch): ContainerProfileSpec {
  const next = mergePatch({ ...contents, ...rest }, patch) as ProfileInput;
  return specOf(next, next);
}
