import { Controller, Inject } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, RefusedError, type Actor, type RequestMeta, type ServiceRequest } from '@stave/contracts';
import {
  notFound,
  accept,
  brokenRules,
  conflict,
  refuse,
  revisionMismatch,
  type ApiKeyCreated,
  type ApiKeyRevoked,
  type ApiKeyState,
  type Role,
} from '@stave/domain';
import { mayTouch, valuesOf, type CommandReply, type ResourceCommands } from '@stave/service-kit';
import { apiKeyResource } from './api-key.resource.js';
import { ApiKeyProjection, ApiKeys, hashOf, keyFields, newKey } from './api-keys.js';
import { Projects } from './projects.js';

const on = (verb: string): string => commandSubject('cluster-service', 'api-key', verb);

const ownKey = conflict(
  'own-key',
  'an administrator of the installation cannot revoke the key in use; use another one',
);

/** A key never changes. */
const REVISION = 1;

@Controller()
export class ApiKeyController {
  constructor(
    @Inject(apiKeyResource.commands) private readonly commands: ResourceCommands<ApiKeyState>,
    private readonly projection: ApiKeyProjection,
    private readonly keys: ApiKeys,
    private readonly projects: Projects,
  ) {}

  @MessagePattern(on('verify'))
  verify({ body }: ServiceRequest<{ readonly key: string }>): Promise<Actor> {
    return this.keys.verify(body.key);
  }

  /** Creates a key. The key itself is only in the first answer: a repeat of the request answers without it. */
  @MessagePattern(on('create'))
  async create({
    meta,
    body,
  }: ServiceRequest<{ readonly project: string; readonly role: Role }>): Promise<CommandReply> {
    const { role } = body;
    const project = await this.projects.find(meta, body.project);
    if (project === undefined) {
      const detail = 'the project does not exist';
      throw new RefusedError(brokenRules([{ pointer: '/project', code: 'unknown-project', detail }]));
    }
    const key = newKey();
    const hash = valuesOf(meta).conceal(hashOf(key));
    return this.commands.create(meta, {
      body: { project, role },
      resolve: ({ resourceId: id }) => ({ id, name: `key-${id.slice(-6)}`, project, role, hash }),
      scope: () => ({ projectId: project }),
      decide: data => accept<ApiKeyCreated>({ type: 'ApiKeyCreated', data }),
      show: state => ({ ...keyFields(state), ...(state.key.hash === hash && { key }) }),
    });
  }

  /** Revokes a key; the key in use of an installation's administrator is refused, so that one always remains. */
  @MessagePattern(on('delete'))
  revoke({ meta, body: { id } }: ServiceRequest<{ readonly id: string }>): Promise<CommandReply> {
    return this.commands.change(meta, {
      find: () => this.revocable(meta, id),
      body: { id },
      decide: state => {
        if (state.deleted) return accept();
        const { ifMatch } = meta;
        if (ifMatch !== undefined && ifMatch !== REVISION) return refuse(revisionMismatch(ifMatch, REVISION));
        return accept<ApiKeyRevoked>({ type: 'ApiKeyRevoked', data: { id } });
      },
    });
  }

  private async revocable({ actor }: RequestMeta, id: string): Promise<{ readonly id: string }> {
    const { state } = await this.projection.model.load(id);
    if (!state || state.deleted || !mayTouch(actor, state.key.project ?? ''))
      throw new RefusedError(notFound('the API key'));
    if (state.key.project === null && id === actor.keyId) throw new RefusedError(ownKey);
    return { id };
  }
}
