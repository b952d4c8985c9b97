import { Injectable } from '@nestjs/common';
import type { CommandResult, RequestMeta } from '@stave/contracts';
import {
  createContainerProfile,
  deleteContainerProfile,
  mergePatch,
  updateContainerProfile,
  type PlacementTarget,
  type ContainerProfileSpec,
  type ContainerProfileState,
} from '@stave/domain';
import {
  Names,
  projectOf,
  ReplyWithPosition,
  requestContext,
  RequestLedger,
  ResourceCommands,
  type ResourceScope,
} from '@stave/service-kit';
import { SchedulerLookup } from '../scheduling/scheduler.lookup.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { contentsOf, type ContentsInput } from './container-contents.js';
import { resolvePlacementTarget } from './placement-target.js';
import { profileFields } from './profile.document.js';

export interface ProfileInput extends ContentsInput, PlacementTarget {
  readonly name?: string;
  readonly description?: string;
}

/** A merge patch: null removes a member. */
export type ProfilePatch = Readonly<Record<string, unknown>>;

type Reply = Promise<ReplyWithPosition<CommandResult>>;

const nameScope = (projectId: string): string => `${projectId}|container-profile`;

/** Commands on container profiles; they start no operations. */
@Injectable()
export class ProfileCommands {
  private readonly commands: ResourceCommands<ContainerProfileState>;

  constructor(
    private readonly ledger: RequestLedger,
    private readonly names: Names,
    private readonly projection: SchedulerProjection,
    private readonly lookup: SchedulerLookup,
  ) {
    const scope = ({ created }: ContainerProfileState): ResourceScope => ({ projectId: created?.projectId ?? '' });
    this.commands = new ResourceCommands(ledger, { model: projection.profiles, scope, show: profileFields });
  }

  async create(meta: RequestMeta, body: ProfileInput): Reply {
    const { ledger, names } = this;
    const projectId = projectOf(meta.actor);
    const specOf = (): Promise<ContainerProfileSpec> => this.specOf(meta, body);
    const check = async (): Promise<void> => void (await specOf());
    return ledger.run(meta, body, ledger.newIds(meta), check, async ids => {
      const id = ids.resourceId;
      const done = await this.projection.profiles.asAccepted(id, ids.requestId);
      if (done) return reply(done.state, done.position);
      const spec = await specOf();
      const name = body.name ?? `profile-${id.slice(-6)}`;
      const context = requestContext(meta, { requestId: ids.requestId }, projectId);
      const owner = { targetId: id, targetStream: this.projection.profiles.stream(id) };
      await names.reserve(nameScope(projectId), name, owner, context);
      const data = { id, name, projectId, spec };
      const { state, position } = await this.projection.profiles.execute(
        id,
        s => createContainerProfile(s, data),
        context,
      );
      return reply(state, position);
    });
  }

  async patch(meta: RequestMeta, ref: string, patch: ProfilePatch): Reply {
    let hosts: PlacementTarget = {};
    return this.commands.change(meta, {
      find: async () => (await this.lookup.profile(meta, ref)).id,
      body: patch,
      starts: false,
      check: async () => {
        hosts = await this.patchedTarget(meta, patch);
      },
      decide: s =>
        updateContainerProfile(s, {
          change: spec => merged(spec, { ...patch, ...hosts }),
          nodeOf: id => this.nodeView(id),
          ifMatch: meta.ifMatch,
        }),
    });
  }

  async remove(meta: RequestMeta, ref: string): Reply {
    const removed = await this.commands.change(meta, {
      find: async () => (await this.lookup.profile(meta, ref)).id,
      body: { delete: true },
      starts: false,
      decide: s => deleteContainerProfile(s, meta.ifMatch),
    });
    const { id, name, projectId: project } = removed.data.resource;
    const projectId = project ?? '';
    const context = requestContext(meta, { requestId: id }, projectId);
    await this.names.release(nameScope(projectId), name, id, context);
    return removed;
  }

  private async specOf(meta: RequestMeta, input: ProfileInput): Promise<ContainerProfileSpec> {
    const contents = contentsOf(input);
    const { hosts } = await resolvePlacementTarget(this.lookup, meta, input);
    const { description } = input;
    return { contents, ...hosts, ...(description === undefined ? {} : { description }) };
  }

  /** Returns the ids of the hosts that the patch gives by id or name. */
  private async patchedTarget(meta: RequestMeta, { hostNode, hostCluster }: ProfilePatch): Promise<PlacementTarget> {
    const wanted = {
      ...(typeof hostNode === 'string' ? { hostNode } : {}),
      ...(typeof hostCluster === 'string' ? { hostCluster } : {}),
    };
    return Object.keys(wanted).length === 0 ? {} : (await resolvePlacementTarget(this.lookup, meta, wanted)).hosts;
  }

  private nodeView(id: string): { readonly id: string; readonly clusterId: string } | undefined {
    const clusterId = this.projection.nodes.get(id)?.declared?.clusterId;
    return clusterId === undefined ? undefined : { id, clusterId };
  }
}

/** Applies the patch; the decider checks whether the result is complete. */
function merged({ contents, ...rest }: ContainerProfileSpec, patch: ProfilePatch): ContainerProfileSpec {
  const next = mergePatch({ ...contents, ...rest }, patch) as ProfileInput;
  const { description, hostNode, hostCluster } = next;
  return {
    contents: contentsOf(next),
    ...(hostNode === undefined ? {} : { hostNode }),
    ...(hostCluster === undefined ? {} : { hostCluster }),
    ...(description === undefined ? {} : { description }),
  };
}

const reply = (state: ContainerProfileState, position: number | undefined): ReplyWithPosition<CommandResult> =>
  new ReplyWithPosition({ resource: profileFields(state) }, position);
