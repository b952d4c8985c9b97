import { RefusedError } from '@stave/contracts';
import type { ContainerContents } from '@stave/domain';

/** What requests say of a profile or of a container's own way to start; the gateway has checked its shape. */
export type ContentsInput = Partial<ContainerContents>;

/** Everything resolved. Throws RefusedError naming what is missing. */
export function contentsOf(input: ContentsInput): ContainerContents {
  const { image } = input;
  if (image === undefined)
    throw new RefusedError({
      code: 'required',
      kind: 'invalid',
      detail: 'an image is required',
      errors: [{ pointer: '/image', code: 'required', detail: 'an image is required' }],
    });
  const { command, args, network, healthCheck, nodeSelector, zone, region, tolerations } = input;
  return {
    image,
    ...(command ? { command } : {}),
    ...(args ? { args } : {}),
    env: input.env ?? {},
    resources: input.resources ?? {},
    ...(network ? { network } : {}),
    volumes: input.volumes ?? [],
    ports: input.ports ?? [],
    restartPolicy: input.restartPolicy ?? 'unless-stopped',
    ...(healthCheck ? { healthCheck } : {}),
    labels: input.labels ?? {},
    ...(nodeSelector ? { nodeSelector } : {}),
    ...(zone === undefined ? {} : { zone }),
    ...(region === undefined ? {} : { region }),
    ...(tolerations ? { tolerations } : {}),
  };
}

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** JSON Merge Patch (RFC 7396). */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergePatch(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}
