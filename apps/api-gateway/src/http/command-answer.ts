import { decompressPlan } from '@stave/service-kit';
import type { Reply } from '../services/service-client.js';
import { etag, ok, positionHeader, type Answer } from './answer.js';

type Members = Readonly<Record<string, unknown>>;

export const NO_STORE = { 'Cache-Control': 'no-store' };

const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null;
export const member = (value: unknown, name: string): unknown => (isMembers(value) ? value[name] : undefined);

/** The answer to a dry run: nothing was changed. */
export const planned = ({ data }: Reply): Answer => ok(decompressPlan(data), NO_STORE);

/** Answers 202 with the operation where the command started one; otherwise the status `done`. */
export function accepted(
  { data, position }: Reply,
  done: number,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const resource = member(data, 'resource');
  const operationId = member(data, 'operationId');
  const common = { ...etag(member(resource, 'revision')), ...positionHeader(position) };
  if (typeof operationId !== 'string')
    return { status: done, headers: { ...headers, ...common }, ...(done === 204 ? {} : { body: resource }) };
  const body = isMembers(resource) ? { ...resource, operationId } : { operationId };
  return { status: 202, headers: { ...common, Location: `/v1/operations/${operationId}` }, body };
}

/** Returns the collection of the resource type, also for a path below another resource (`/v1/clusters/:clusterId/node-groups`). */
export function collectionPath(path: string): string {
  return path.includes('/:') ? `/v1/${path.split('/').at(-1) ?? ''}` : path;
}
