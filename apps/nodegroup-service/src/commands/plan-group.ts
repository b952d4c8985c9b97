import { RefusedError } from '@stave/contracts';
import {
  brokenRules,
  resolveNodeGroupSpec,
  type ClusterSpecification,
  type NodeGroupInput,
  type NodeGroupSpec,
  type RingView,
} from '@stave/domain';
import { driverDefaults, flavorProblems, manifestOf, optionProblems, requireDriver } from '@stave/platform';

/**
 * What a request for a group of this cluster comes to. Throws RefusedError: everything that is missing or wrong at once (422); then
 * `nobody-serves` (503) for the cluster's driver in the group's conductor group.
 */
export function resolvedSpec(ring: RingView, body: NodeGroupInput, cluster: ClusterSpecification): NodeGroupSpec {
  const { driver, driverVersion, conductorGroup } = cluster;
  const [version] = ring.serves(body.conductorGroup ?? conductorGroup, driver, driverVersion);
  const manifest = version === undefined ? {} : (manifestOf(ring, driver, version) ?? {});
  const resolved = resolveNodeGroupSpec(body, { cluster: cluster.defaults, ...driverDefaults(manifest) }, '');
  const options = optionProblems(manifest, body.options ?? {}, '/options');
  const flavor = flavorProblems(manifest, body.flavor ?? cluster.defaults.flavor, '/flavor');
  const problems = [...(resolved.ok ? [] : resolved.problems), ...options, ...flavor];
  if (!resolved.ok || problems.length > 0) throw new RefusedError(brokenRules(problems));
  requireDriver(ring, resolved.spec.conductorGroup ?? conductorGroup, driver, driverVersion);
  return resolved.spec;
}
