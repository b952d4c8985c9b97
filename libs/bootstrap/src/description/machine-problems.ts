import { isIPv4 } from 'node:net';
import type { DescriptionProblem } from './description-problem.js';
import type { MachineDescription } from './machine-description.js';

/** Returns what a schema cannot express about the part of a description that all engines have. */
export function problemsOfMachine({ os, address, software }: MachineDescription): DescriptionProblem[] {
  const problems: DescriptionProblem[] = [];
  if (address !== undefined && !isIPv4(address))
    problems.push({ pointer: '/address', code: 'not-an-address', detail: 'must be an IPv4 address' });
  if (os === 'fedora-coreos' && software.kind === 'packages')
    problems.push({ pointer: '/software/kind', code: 'unsupported', detail: 'fedora-coreos installs no packages' });
  if (software.kind === 'packages' && (os === 'debian' || os === 'ubuntu'))
    software.repositories?.forEach(({ suite, components }, index) => {
      const flat = suite === undefined || suite.endsWith('/');
      const detail = flat ? 'a suite that ends in / has no components' : 'a suite has at least one component';
      if (flat === (components ?? []).length > 0)
        problems.push({ pointer: `/software/repositories/${index}/components`, code: 'components', detail });
    });
  return problems;
}

/** Returns the problems of an IPv4 network such as `10.0.0.0/16`, whose bits outside of the prefix are zero. */
export function problemsOfSubnet(pointer: string, subnet: string | undefined): DescriptionProblem[] {
  if (subnet === undefined) return [];
  const [address = '', prefix = ''] = subnet.split('/');
  const bits = Number(prefix);
  const number = isIPv4(address) ? address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0) : undefined;
  if (number !== undefined && /^\d{1,2}$/.test(prefix) && bits <= 30 && number % 2 ** (32 - bits) === 0) return [];
  return [{ pointer, code: 'not-a-network', detail: 'must be an IPv4 network in CIDR notation' }];
}
