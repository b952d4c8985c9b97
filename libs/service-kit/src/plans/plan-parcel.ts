import { gunzipSync, gzipSync } from 'node:zlib';
import { RefusedError } from '@stave/contracts';

/** A plan names every node: those of large fleets are longer than a message may be. */
interface Parcel {
  readonly packedPlan: string;
}

/** In characters; a message has 1 MB at most. */
const PLAIN = 200_000;
const MOST = 950_000;

const tooLarge = new RefusedError({
  code: 'plan-too-large',
  kind: 'capacity',
  detail: 'the plan names more nodes and containers than an answer has room for; plan the node groups one by one',
});

/** The plan as it travels to the gateway. Throws RefusedError where it is too large for that. */
export function packedPlan(plan: object): object {
  const text = JSON.stringify(plan);
  if (text.length < PLAIN) return plan;
  const parcel: Parcel = { packedPlan: gzipSync(text).toString('base64') };
  if (parcel.packedPlan.length > MOST) throw tooLarge;
  return parcel;
}

/** As it was packed. */
export function unpackedPlan(data: unknown): unknown {
  const { packedPlan } = (data ?? {}) as Partial<Parcel>;
  return packedPlan === undefined ? data : JSON.parse(gunzipSync(Buffer.from(packedPlan, 'base64')).toString('utf8'));
}
