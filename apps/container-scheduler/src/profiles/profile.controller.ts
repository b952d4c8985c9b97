import { Controller, Inject } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, type RequestMeta, type ServiceRequest } from '@stave/contracts';
import {
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
import { projectOf, RingFollower, type CommandReply, type ResourceCommands } from '@stave/service-kit';
import { withOwnSetIds } from '../policies/named-sets.js';
import { SchedulerLookup } from '../scheduling/scheduler.lookup.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { requireAllowedContents } from './allowed-contents.js';
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
    private readonly ring: RingFollower,
  ) {}

  @MessagePattern(on('create'))
  create({ meta, body }: ServiceRequest<ProfileInput>): Promise<CommandReply> {
    const projectId = projectOf(meta.actor);
    return this.commands.create(meta, {
      body,
      resolve: async ({ resourceId: id }) => {
        const { hosts } = await resolvePlacementTarget(this.lookup, meta, body);
        const spec = specOf(await withOwnSetIds(this.lookup, meta, body), hosts);
        this.requireAllowed(spec);
        return { id, projectId, name: body.name ?? `profile-${id.slice(-6)}`, spec };
      },
      scope: () => ({ projectId }),
      before: (profile, context) => this.lookup.profileNames.reserve(profile, context),
      decide: profile => createContainerProfile(profile),
    });
  }

  @MessagePattern(on('patch'))
  patch({ meta, body: { id: ref, patch: given } }: ServiceRequest<Ref & { readonly patch: ProfilePatch }>) {
    let patch = given;
    let hosts: PlacementTarget = {};
    return this.commands.change(meta, {
      find: () => this.lookup.profile(meta, ref),
      body: given,
      check: async ({ spec }) => {
        patch = await withOwnSetIds(this.lookup, meta, given);
        hosts = await this.patchedTarget(meta, patch);
        const isDriven = ['network', 'volumes', 'hostCluster', 'hostNode'].some(name => name in patch);
        if (isDriven) this.requireAllowed(merged(spec, { ...patch, ...hosts }));
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
      find: () => this.lookup.profile(meta, ref),
      body: { delete: true },
      decide: state => deleteContainerProfile(state, meta.ifMatch),
      after: async ({ created }, context) => {
        await this.lookup.profileNames.release(created, context);
        return -1;
      },
    });
  }

  /** Throws RefusedError for contents that the driver of the profile's cluster refuses, where the cluster exists. */
  private requireAllowed({ contents, hostCluster, hostNode }: ContainerProfileSpec): void {
    const clusterId = hostCluster ?? this.nodeView(hostNode ?? '')?.clusterId;
    const cluster = this.projection.clusters.get(clusterId ?? '');
    if (cluster) requireAllowedContents(this.ring.view, cluster.spec, contents, contents);
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
    const clusterId = this.projection.nodes.get(id)?.declared.clusterId;
    return clusterId === undefined ? undefined : { id, clusterId };
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
