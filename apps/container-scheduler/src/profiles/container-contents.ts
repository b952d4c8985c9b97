import { RefusedError } from '@stave/contracts';
import type { ContainerContents } from '@stave/domain';

/** What a profile or a container runs, as requests give it. */
export type ContentsInput = Partial<ContainerContents>;

/** Adds the defaults. Throws RefusedError `required` without an image. */
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
