import { Controller } from '@nestjs/common';
import type { DriverManifest } from '@stave/driver-sdk';
import { ok, type Answer } from '../http/answer.js';
import { FromCall, Handles, param, type Call } from '../http/call.js';
import { isObject, member } from '../http/members.js';
import { notFound } from '../problems/refusals.js';
import { driverDocumentRoute } from '../routes/registry.routes.js';
import { ServiceClient } from '../services/service-client.js';
import { driverDocument } from './driver-document.js';

/** Describes the operations of drivers by the manifests that conductors offer. */
@Controller()
export class DriverDocumentsController {
  constructor(private readonly services: ServiceClient) {}

  @Handles(driverDocumentRoute)
  async document(@FromCall() call: Call): Promise<Answer> {
    const version = param(call, 'version');
    const { data } = await this.services.ask('driver', 'get', call.meta, { id: param(call, 'name'), version });
    const manifest = member(data, 'manifest');
    if (!isManifest(manifest)) throw notFound(`no conductor offers version ${version} of this driver`);
    return ok(driverDocument(manifest));
  }
}

const isManifest = (value: unknown): value is DriverManifest =>
  isObject(value) && typeof value['name'] === 'string' && typeof value['version'] === 'string';
