import { RefusedError, type FieldProblem } from '@stave/contracts';
import { brokenRules, type ClusterSpecification, type ContainerContents, type RingView } from '@stave/domain';
import { containerProblems, type DriverRestrictions } from '@stave/driver-sdk';
import { operatingManifest, requireCapability } from '@stave/service-kit';
import type { ContentsInput } from './container-contents.js';

/**
 * Throws RefusedError for what the driver of the cluster does not run: `unsupported` where it runs no containers, and
 * `option-not-allowed` (422) for networks and volumes beyond its restrictions. Pointers name the members of `given`; what came from the
 * profile is reported at `/profile`.
 */
export function requireAllowedContents(
  ring: RingView,
  { driver, driverVersion: version, conductorGroup: group }: ClusterSpecification,
  contents: ContainerContents,
  given: ContentsInput,
): void {
  const operated = { group, driver, version };
  requireCapability(ring, operated, 'containers', 'containers');
  const { restrictions } = (operatingManifest(ring, operated) ?? {}) as { readonly restrictions?: DriverRestrictions };
  const problems = containerProblems(restrictions?.containers, contents);
  if (problems.length > 0) throw new RefusedError(brokenRules(problems.map(problem => placed(problem, given))));
}

/** Calls a check of the contents; what it refuses in members that came from the profile is reported at `/profile`. */
export function withPointersInto(given: ContentsInput, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof RefusedError) || !error.error.errors) throw error;
    throw new RefusedError({ ...error.error, errors: error.error.errors.map(problem => placed(problem, given)) });
  }
}

function placed(problem: FieldProblem, given: ContentsInput): FieldProblem {
  const isGiven = problem.pointer.startsWith('/network') ? given.network : given.volumes;
  if (isGiven) return problem;
  return { ...problem, pointer: '/profile', detail: `${problem.pointer} of the profile: ${problem.detail}` };
}
