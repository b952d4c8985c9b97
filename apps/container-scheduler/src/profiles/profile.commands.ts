import type { CommandResult, RequestMeta } from '@stave/contracts';
import {
  createContainerProfile,
  deleteContainerProfile,
  mergePatch,
  updateContainerProfile,
  type ContainerHosts,
  type ContainerProfileSpec,
  type ContainerProfileState,
} from '@stave/domain';
import {
  ReplyWithPosition,
  projectOf,
  requestContext,
  ResourceCommands,
  type ResourceScope,
  type ServiceRuntime,
} from '@stave/service-kit';
import { profileFields } from './profile.document.js';
import type { SchedulerModels } from '../scheduler-models.js';
import { contentsOf, type ContentsInput } from './container-spec.js';
import type { ResourceLookup } from '../resource-lookup.js';
import { resolveHosts } from './placement-target.js';

export interface ProfileInput extends ContentsInput, ContainerHosts {
  readonly name?: string;
  readonly description?: string;
}

/** A merge patch: null takes a member away. */
export type ProfilePatch = Readonly<Record<string, unknown>>;

type Answer = Promise<ReplyWithPosition<CommandResult>>;

export const PROFILE_NAMES = 'container-profile';

/** Commands on container profiles; they are done when they are answered. */
export class ProfileCommands {
  private readonly commands: ResourceCommands<ContainerProfileState>;

  constructor(
    private readonly runtime: ServiceRuntime,
    private readonly models: SchedulerModels,
    private readonly find: ResourceLookup,
  ) {
    const home = ({ created }: ContainerProfileState): ResourceScope => ({ projectId: created?.projectId ?? '' });
    this.commands = new ResourceCommands(runtime.ledger, { model: models.profiles, home, show: profileFields });
  }

  async create(meta: RequestMeta, body: ProfileInput): Answer {
    const { names, ledger } = this.runtime;
    const projectId = projectOf(meta.actor);
    const specOf = (): Promise<ContainerProfileSpec> => this.specOf(meta, body);
    const check = async (): Promise<void> => void (await specOf());
    return ledger.run(meta, body, this.runtime.newIds(meta), check, async ids => {
      const id = ids.resourceId;
      const done = await this.models.profiles.asAccepted(id, ids.requestId);
      if (done) return answer(done.state, done.position);
      const spec = await specOf();
      const name = body.name ?? `profile-${id.slice(-6)}`;
      const context = requestContext(meta, { requestId: ids.requestId }, projectId);
      const owner = { targetId: id, targetStream: this.models.profiles.stream(id) };
      await names.reserve(`${projectId}|${PROFILE_NAMES}`, name, owner, context);
      const data = { id, name, projectId, spec };
      const { state, position } = await this.models.profiles.execute(id, s => createContainerProfile(s, data), context);
      return answer(state, position);
    });
  }

  async patch(meta: RequestMeta, ref: string, patch: ProfilePatch): Answer {
    let hosts: ContainerHosts = {};
    return this.commands.change(meta, {
      find: async () => (await this.find.profile(meta, ref)).id,
      body: patch,
      starts: false,
      check: async () => {
        hosts = await this.named(meta, patch);
      },
      decide: s =>
        updateContainerProfile(
          s,
          spec => merged(spec, { ...patch, ...hosts }),
          id => this.nodeView(id),
          meta.ifMatch,
        ),
    });
  }

  async remove(meta: RequestMeta, ref: string): Answer {
    const removed = await this.commands.change(meta, {
      find: async () => (await this.find.profile(meta, ref)).id,
      body: { delete: true },
      starts: false,
      decide: s => deleteContainerProfile(s, meta.ifMatch),
    });
    const { id, name, projectId: project } = removed.data.resource;
    const projectId = project ?? '';
    const context = requestContext(meta, { requestId: id }, projectId);
    await this.runtime.names.release(`${projectId}|${PROFILE_NAMES}`, name, id, context);
    return removed;
  }

  private async specOf(meta: RequestMeta, input: ProfileInput): Promise<ContainerProfileSpec> {
    const contents = contentsOf(input);
    const { hosts } = await resolveHosts(this.find, meta, input);
    const { description } = input;
    return { contents, ...hosts, ...(description === undefined ? {} : { description }) };
  }

  /** The hosts that the patch gives by id or name, by id. */
  private async named(meta: RequestMeta, { hostNode, hostCluster }: ProfilePatch): Promise<ContainerHosts> {
    const wanted = {
      ...(typeof hostNode === 'string' ? { hostNode } : {}),
      ...(typeof hostCluster === 'string' ? { hostCluster } : {}),
    };
    return Object.keys(wanted).length === 0 ? {} : (await resolveHosts(this.find, meta, wanted)).hosts;
  }

  private nodeView(id: string): { readonly id: string; readonly clusterId: string } | undefined {
    const clusterId = this.models.nodes.get(id)?.declared?.clusterId;
    return clusterId === undefined ? undefined : { id, clusterId };
  }
}

/** The decider looks whether what comes of it is whole. */
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

const answer = (state: ContainerProfileState, position: number | undefined): ReplyWithPosition<CommandResult> =>
  new ReplyWithPosition({ resource: profileFields(state) }, position);
