import { RefusedError } from '@stave/contracts';
import { brokenRules, completeContents, omitUndefined, ownRuleProblems, type ContainerContents } from '@stave/domain';

/** What a profile or a container runs, as requests give it. */
export type ContentsInput = Partial<ContainerContents>;

/** The refusal of a request without a required member. */
export const required = (pointer: string, detail: string): RefusedError =>
  new RefusedError({ code: 'required', kind: 'invalid', detail, errors: [{ pointer, code: 'required', detail }] });

/** Adds the defaults. Throws RefusedError `required` without an image, and for rules that contradict each other. */
export function contentsOf(input: ContentsInput): ContainerContents {
  const { image, command, args, network, healthCheck, nodeSelector, zone, region, tolerations } = input;
  const { env = {}, resources = {}, volumes = [], ports = [], restartPolicy = 'unless-stopped', labels = {} } = input;
  const { imageCredentials, pullPolicy, stopGraceSeconds, movable, spread, affinity } = input;
  if (image === undefined) throw required('/image', 'an image is required');
  const run = { image, command, args, env, resources, network, volumes, ports, restartPolicy, healthCheck, labels };
  const given = {
    ...run,
    imageCredentials,
    pullPolicy,
    stopGraceSeconds,
    movable,
    nodeSelector,
    zone,
    region,
    tolerations,
    spread,
    affinity,
  };
  const problems = ownRuleProblems(omitUndefined({ spread }));
  if (problems.length > 0) throw new RefusedError(brokenRules(problems));
  return completeContents(omitUndefined(given));
}
