import { HttpException } from '@nestjs/common';
import type { Route } from '../routes/route.js';

const JSON_TYPE = 'application/json';
const MERGE_PATCH = 'application/merge-patch+json';

/** Throws 415 for a merge patch that is not sent with PATCH. The body parser refuses other media types. */
export function checkMediaType(route: Route, contentType: string | undefined): void {
  const type = contentType?.split(';')[0]?.trim().toLowerCase();
  if (type === MERGE_PATCH && route.method !== 'PATCH') throw new HttpException('unsupported media type', 415);
}

export const jsonTypes: readonly string[] = [JSON_TYPE, MERGE_PATCH];
