import { decompressPlan } from '@stave/service-kit';
import type { Reply } from '../services/service-client.js';
import { isMembers, member } from './members.js';

type Headers = Readonly<Record<string, string | string[]>>;

/** The answer of a handler. A body without a Content-Type header is sent as JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body?: unknown;
  /** The resource that was changed, for the audit, where the body does not say it. */
  readonly changed?: unknown;
}

export const ok = (body: unknown, headers: Headers = {}): Answer => ({ status: 200, headers, body });

export const etag = (revision: unknown): Headers => (typeof revision === 'number' ? { ETag: `"${revision}"` } : {});

/** `position` is that of the last event that a command appended or that a read shows. */
export const positionHeader = (position: number | undefined): Headers =>
  position === undefined ? {} : { 'Stave-Position': String(position) };

export const planned = ({ data }: Reply): Answer => ok(decompressPlan(data));

/** Answers 202 with the operation where the command started one; otherwise the status `done`. */
export function accepted({ data, position }: Reply, done: number, headers: Headers = {}): Answer {
  const resource = member(data, 'resource');
  const operationId = member(data, 'operationId');
  const changed = member(data, 'target') ?? resource;
  const common = { ...etag(member(resource, 'revision')), ...positionHeader(position) };
  if (typeof operationId !== 'string')
    return { status: done, headers: { ...headers, ...common }, changed, ...(done === 204 ? {} : { body: resource }) };
  const body = isMembers(resource) ? { ...resource, operationId } : { operationId };
  return { status: 202, headers: { ...common, Location: `/v1/operations/${operationId}` }, body, changed };
}
