import { Controller } from '@nestjs/common';
import type { RequestMeta } from '@stave/contracts';
import { omitUndefined } from '@stave/domain';
import { ok, type Answer } from '../http/answer.js';
import { FromCall, Handles, type Call } from '../http/call.js';
import { member } from '../http/members.js';
import { whoamiRoute } from '../routes/access.routes.js';
import { ServiceClient } from '../services/service-client.js';
import type { Grant } from './credential.js';
import { KeyLifetimes } from './key-lifetimes.js';

/** An operator may work in every project; this many are named. */
const NAMED_PROJECTS = 500;

@Controller()
export class WhoamiController {
  constructor(
    private readonly lifetimes: KeyLifetimes,
    private readonly services: ServiceClient,
  ) {}

  @Handles(whoamiRoute)
  async whoami(@FromCall() { meta }: Call): Promise<Answer> {
    const { keyId, name, role, project, method = 'api-key', issuer } = meta.actor;
    const { expiresAt = null, position = -1, grants } = this.lifetimes.credentialOf(meta.actor) ?? {};
    // another replica may answer than the one that knew the key
    const minPosition = Math.max(meta.minPosition ?? -1, position);
    return ok({
      subject: keyId,
      ...omitUndefined({ name, issuer }),
      method,
      expiresAt,
      operator: role === 'admin' && project === null,
      projects:
        grants?.map(({ id, name: of, role: as }) => ({ id, name: of, role: as })) ??
        (await this.grants({ ...meta, minPosition })),
      ...(method === 'api-key' && { keyId, role, project }),
    });
  }

  private async grants(meta: RequestMeta): Promise<readonly Grant[]> {
    const { role, project } = meta.actor;
    const documents =
      project === null
        ? member(
            (await this.services.ask('project', 'list', meta, { limit: NAMED_PROJECTS, filter: {} })).data,
            'items',
          )
        : [(await this.services.ask('project', 'get', meta, { id: project })).data];
    if (!Array.isArray(documents)) throw new Error('cluster-service answered project.list without items');
    return documents.map(document => ({ id: text(document, 'id'), name: text(document, 'name'), role }));
  }
}

function text(document: unknown, name: string): string {
  const value = member(document, name);
  if (typeof value !== 'string') throw new Error(`cluster-service answered a project without ${name}`);
  return value;
}
