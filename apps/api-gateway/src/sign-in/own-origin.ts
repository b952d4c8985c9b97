import { RefusedError } from '@stave/contracts';
import type { GatewayRequest } from '../http/call.js';

/** Throws RefusedError (403) for a change with a cookie that no page of this product has made: browsers name the origin of the page. */
export function requireOwnOrigin({ headers }: Pick<GatewayRequest, 'headers'>, own: string): void {
  if (headers.origin !== undefined && headers.origin === own) return;
  const detail = 'a change with a cookie requires the header Origin with the origin of PUBLIC_URL';
  throw new RefusedError({ code: 'foreign-origin', kind: 'forbidden', detail });
}
