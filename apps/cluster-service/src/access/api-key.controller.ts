import { Controller, Inject } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import {
  commandSubject,
  durationMs,
  RefusedError,
  type RequestMeta,
  type ServiceRequest,
  type VerifiedKey,
} from '@stave/contracts';
import {
  brokenRules,
  conflict,
  createApiKey,
  notFound,
  omitUndefined,
  revokeApiKey,
  rotateApiKey,
  type ApiKeyCreated,
  type ApiKeyState,
  type Role,
} from '@stave/domain';
import { mayTouch, validationFailed, valuesOf, type CommandReply, type ResourceCommands } from '@stave/service-kit';
import { apiKeyResource } from './api-key.resource.js';
import { ApiKeyProjection, ApiKeys, keyFields } from './api-keys.js';
import { Projects } from './projects.js';
import { hashOf, newSecret } from './secrets.js';

const on = (verb: string): string => commandSubject('cluster-service', 'api-key', verb);

const ownKey = conflict(
  'own-key',
  'an administrator of the installation cannot revoke the key in use; use another one',
);

interface KeyInput {
  readonly project?: string;
  readonly role: Role | 'operator';
  readonly name?: string;
  readonly expiresAt?: string;
}

interface Rotation {
  readonly id: string;
  readonly action: 'rotate';
  readonly overlap?: string;
  readonly expiresAt?: string;
}

@Controller()
export class ApiKeyController {
  constructor(
    @Inject(apiKeyResource.commands) private readonly commands: ResourceCommands<ApiKeyState>,
    private readonly projection: ApiKeyProjection,
    private readonly keys: ApiKeys,
    private readonly projects: Projects,
  ) {}

  @MessagePattern(on('verify'))
  verify({ body }: ServiceRequest<{ readonly key: string }>): Promise<VerifiedKey> {
    return this.keys.verify(body.key);
  }

  /** Creates a key. The key itself is only in the first answer: a repeat of the request answers without it. */
  @MessagePattern(on('create'))
  async create({ meta, body }: ServiceRequest<KeyInput>): Promise<CommandReply> {
    const owner = await this.ownerOf(meta, body);
    const { text, prefix, hash } = concealedSecret(meta);
    const expiresAt = inUtc(body.expiresAt);
    return this.commands.create<ApiKeyCreated, ApiKeyCreated['data']>(meta, {
      body,
      resolve: ({ resourceId: id }) => {
        const name = body.name ?? `key-${id.slice(-6)}`;
        return { id, name, ...owner, hash, prefix, ...omitUndefined({ expiresAt }) };
      },
      scope: () => ({ projectId: owner.project ?? '' }),
      decide: data => createApiKey(data, new Date().toISOString()),
      show: state => ({ ...keyFields(state), ...(state.key.hash === hash && { key: text }) }),
    });
  }

  /** Replaces the secret of a key. It is only in the first answer, as that of a new key. */
  @MessagePattern(on('action'))
  rotate({ meta, body: { id, ...body } }: ServiceRequest<Rotation>): Promise<CommandReply> {
    const { text, prefix, hash } = concealedSecret(meta);
    const nowMs = Date.now();
    const formerUntil = new Date(nowMs + (durationMs(body.overlap ?? '0s') ?? 0)).toISOString();
    const secret = {
      hash,
      prefix,
      formerUntil: valuesOf(meta).conceal(formerUntil),
      ...omitUndefined({ expiresAt: inUtc(body.expiresAt) }),
    };
    return this.commands.change(meta, {
      find: () => this.known(meta, id),
      body,
      decide: state => rotateApiKey(state, secret, new Date(nowMs).toISOString(), meta.ifMatch),
      show: state => ({ ...keyFields(state), ...(state.key.hash === hash && { key: text }) }),
    });
  }

  /** Revokes a key; the key in use of an installation's administrator is refused, so that one always remains. */
  @MessagePattern(on('delete'))
  revoke({ meta, body: { id } }: ServiceRequest<{ readonly id: string }>): Promise<CommandReply> {
    return this.commands.change(meta, {
      find: () => this.revocable(meta, id),
      body: { id },
      decide: state => revokeApiKey(state, meta.ifMatch),
    });
  }

  /** Returns what the key will belong to. Throws RefusedError where the requester may not make such a key. */
  private async ownerOf(
    meta: RequestMeta,
    { role, project }: KeyInput,
  ): Promise<Pick<ApiKeyCreated['data'], 'project' | 'role'>> {
    if (role === 'operator') {
      if (project !== undefined) throw new RefusedError(brokenRules([operatorOfProject]));
      if (meta.actor.project !== null) throw new RefusedError(notOperator);
      return { project: null, role: 'admin' };
    }
    if (project === undefined) throw validationFailed([missingProject]);
    const found = await this.projects.find(meta, project);
    if (found === undefined) throw new RefusedError(brokenRules([unknownProject]));
    return { project: found, role };
  }

  private async known(
    { actor }: RequestMeta,
    id: string,
  ): Promise<{ readonly id: string; readonly state: ApiKeyState }> {
    const { state } = await this.projection.model.load(id);
    if (!state || state.deleted || !mayTouch(actor, state.key.project ?? ''))
      throw new RefusedError(notFound('the API key'));
    return { id, state };
  }

  private async revocable(meta: RequestMeta, id: string): Promise<{ readonly id: string }> {
    const { state } = await this.known(meta, id);
    if (state.key.project === null && id === meta.actor.keyId) throw new RefusedError(ownKey);
    return { id };
  }
}

const unknownProject = { pointer: '/project', code: 'unknown-project', detail: 'the project does not exist' };
const missingProject = { pointer: '/project', code: 'required', detail: 'is required, except for the role operator' };
const operatorOfProject = {
  pointer: '/project',
  code: 'operator-of-project',
  detail: 'a key with the role operator belongs to no project',
};
const notOperator = {
  code: 'forbidden',
  kind: 'forbidden',
  detail: 'only operators of the installation make keys with the role operator',
} as const;

/** Returns a new secret, which plans do not show. */
function concealedSecret(meta: RequestMeta): { readonly text: string; readonly prefix: string; readonly hash: string } {
  const values = valuesOf(meta);
  const { text, prefix } = newSecret();
  return { text, prefix: values.conceal(prefix), hash: values.conceal(hashOf(text)) };
}

/** Returns the same instant in UTC, as events carry it. */
const inUtc = (instant: string | undefined): string | undefined =>
  instant === undefined ? undefined : new Date(instant).toISOString();
