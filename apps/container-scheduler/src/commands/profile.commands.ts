import { RefusedError, type CommandResult, type RequestMeta } from '@stave/contracts';
import {
  createContainerProfile,
  deleteContainerProfile,
  updateContainerProfile,
  type ContainerHosts,
  type ContainerProfileEvent,
  type ContainerProfileSpec,
  type ContainerProfileState,
  type Decision,
} from '@stave/domain';
import { Positioned, projectOf, requestContext, type RequestIds, type ServiceRuntime } from '@stave/platform';
import { profileFields } from '../documents/profile.document.js';
import type { SchedulerModels } from '../scheduler-models.js';
import { contentsOf, mergePatch, type ContentsInput } from './contents.js';
import type { Find, Named } from './find.js';
import { resolveHosts } from './hosts.js';

export interface ProfileInput extends ContentsInput, ContainerHosts {
  readonly name?: string;
  readonly description?: string;
}

type Answer = Promise<Positioned<CommandResult>>;

export const PROFILE_NAMES = 'container-profile';

/** Commands on container profiles; they are done when they are answered. */
export class ProfileCommands {
  constructor(
    private readonly runtime: ServiceRuntime,
    private readonly models: SchedulerModels,
    private readonly find: Find,
  ) {}

  async create(meta: RequestMeta, body: ProfileInput): Answer {
    const { names, ledger } = this.runtime;
    const projectId = projectOf(meta.actor);
    const specOf = (): Promise<ContainerProfileSpec> => this.specOf(meta, body);
    const check = async (): Promise<void> => void (await specOf());
    return ledger.run(meta, body, this.runtime.newIds(), check, async ids => {
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

  async patch(meta: RequestMeta, ref: string, patch: Readonly<Record<string, unknown>>): Answer {
    const profile = await this.find.profile(meta, ref, true);
    const next = await this.patched(meta, profile, patch);
    return this.change(meta, profile, patch, s =>
      updateContainerProfile(
        s,
        () => next,
        id => this.nodeView(id),
        meta.ifMatch,
      ),
    );
  }

  async remove(meta: RequestMeta, ref: string): Answer {
    const profile = await this.find.profile(meta, ref, true);
    const answered = await this.change(meta, profile, { delete: true }, s => deleteContainerProfile(s, meta.ifMatch));
    const { name, projectId } = profile.state.created ?? { name: '', projectId: '' };
    const context = requestContext(meta, { requestId: profile.id }, projectId);
    await this.runtime.names.release(`${projectId}|${PROFILE_NAMES}`, name, profile.id, context);
    return answered;
  }

  private async specOf(meta: RequestMeta, input: ProfileInput): Promise<ContainerProfileSpec> {
    const contents = contentsOf(input);
    const { hosts } = await resolveHosts(this.find, meta, input);
    const { description } = input;
    return { contents, ...hosts, ...(description === undefined ? {} : { description }) };
  }

  private async patched(
    meta: RequestMeta,
    profile: Named<ContainerProfileState>,
    patch: Readonly<Record<string, unknown>>,
  ): Promise<ContainerProfileSpec> {
    const { contents, ...rest } = profile.state.spec ?? {};
    const merged = mergePatch({ ...contents, ...rest }, patch) as ProfileInput;
    return this.specOf(meta, merged);
  }

  private nodeView(id: string): { readonly id: string; readonly clusterId: string } | undefined {
    const clusterId = this.models.nodes.get(id)?.declared?.clusterId;
    return clusterId === undefined ? undefined : { id, clusterId };
  }

  private change(
    meta: RequestMeta,
    profile: Named<ContainerProfileState>,
    body: unknown,
    decide: (state: ContainerProfileState) => Decision<ContainerProfileEvent>,
  ): Answer {
    const { profiles } = this.models;
    const check = async (): Promise<void> => {
      const decision = decide((await profiles.load(profile.id)).state);
      if (!decision.ok) throw new RefusedError(decision.refusal);
    };
    return this.runtime.ledger.run(meta, body, this.runtime.newIds(), check, async (ids: RequestIds, repeat) => {
      const done = repeat ? await profiles.asAccepted(profile.id, ids.requestId) : undefined;
      if (done) return answer(done.state, done.position);
      const context = requestContext(meta, { requestId: ids.requestId }, profile.state.created?.projectId ?? '');
      const { state, position } = await profiles.execute(profile.id, decide, context);
      return answer(state, position);
    });
  }
}

const answer = (state: ContainerProfileState, position: number | undefined): Positioned<CommandResult> =>
  new Positioned({ resource: profileFields(state) }, position);
