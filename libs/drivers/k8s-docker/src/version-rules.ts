import { compareVersions, minorOf, skewProblems, type VersionedNode } from '@stave/bootstrap';
import { DriverError, type NodeSpec } from '@stave/driver-sdk';
import type { NodeContainer } from './inventory.js';

type Known = Pick<NodeContainer, 'nodeId' | 'role' | 'version' | 'state'>;

const versioned = (name: string, role: string, version: string): VersionedNode => ({
  name,
  role: role === 'manager' ? 'control-plane' : 'worker',
  version,
});

/**
 * Checks whether a node may have a version beside the nodes of its cluster: control planes first, and no minor version skipped. Throws a permanent
 * DriverError. A node that only gets again the version that it has is never refused.
 */
export function requireVersion({ id, name, role }: NodeSpec, version: string, members: readonly Known[]): void {
  const own = members.filter(({ nodeId }) => nodeId === id);
  if (own.some(node => node.version === version)) return;
  const others = members.filter(({ nodeId }) => nodeId !== id);
  const planes = others.filter(other => other.role === 'manager');
  if (role === 'manager') {
    requireOther(name, own, planes);
    requireNoDowngrade(name, version, planes);
  }
  const all = [versioned(name, role, version), ...others.map(one => versioned(one.nodeId, one.role, one.version))];
  const present = skewProblems(all.slice(1)).map(({ node, code }) => `${node} ${code}`);
  const [problem] = skewProblems(all).filter(({ node, code }) => !present.includes(`${node} ${code}`));
  if (problem) throw refused('version-skew', `node ${problem.node}: ${problem.detail}`);
}

/** The only control plane that runs keeps all that the cluster knows, and a new one in its place would know nothing of it. */
function requireOther(name: string, own: readonly Known[], planes: readonly Known[]): void {
  if (!own.some(({ state }) => state === 'running') || planes.some(({ state }) => state === 'running')) return;
  const remedy = 'change its group with maxSurge 1, or add a control plane first';
  throw refused(
    'only-control-plane',
    `node ${name} is the only control plane, and cannot get another version: ${remedy}`,
  );
}

/** An older control plane may not understand what newer ones have stored. */
function requireNoDowngrade(name: string, version: string, planes: readonly Known[]): void {
  const [oldest] = planes.map(plane => plane.version).sort(compareVersions);
  if (oldest === undefined || minorOf(version) >= minorOf(oldest)) return;
  throw refused('version-skew', `node ${name}: ${version} is older than the control planes, ${oldest}`);
}

const refused = (code: string, message: string): DriverError => new DriverError('permanent', message, { code });
