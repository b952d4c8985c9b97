import { gunzipSync, gzipSync } from 'node:zlib';
import { RefusedError } from '@stave/contracts';

interface CompressedPlan {
  readonly compressedPlan: string;
}

/** In characters. A message has at most 1 MB, and a plan names every node. */
const UNCOMPRESSED_LENGTH = 200_000;
const COMPRESSED_LENGTH = 950_000;

const tooLarge = new RefusedError({
  code: 'plan-too-large',
  kind: 'capacity',
  detail: 'the plan names more nodes and containers than 10,000; plan the node groups one by one',
});

/** The most nodes and containers that a plan names: those of the largest group. */
const MAX_STEPS = 10_000;

/** Throws RefusedError `plan-too-large` for more steps than the process computes for one request. */
export function requirePlannable(steps: number): void {
  // the shared infrastructure of a cluster and the group itself are steps, too
  if (steps > MAX_STEPS + 100) throw tooLarge;
}

/** Returns the plan as it travels to the gateway. Throws RefusedError `plan-too-large`. */
export function compressPlan(plan: object): object {
  const text = JSON.stringify(plan);
  if (text.length < UNCOMPRESSED_LENGTH) return plan;
  const compressed: CompressedPlan = { compressedPlan: gzipSync(text).toString('base64') };
  if (compressed.compressedPlan.length > COMPRESSED_LENGTH) throw tooLarge;
  return compressed;
}

export function decompressPlan(data: unknown): unknown {
  const { compressedPlan } = (data ?? {}) as Partial<CompressedPlan>;
  if (compressedPlan === undefined) return data;
  return JSON.parse(gunzipSync(Buffer.from(compressedPlan, 'base64')).toString('utf8'));
}
