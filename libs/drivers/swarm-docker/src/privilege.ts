import { readFile } from 'node:fs/promises';

/** The bit of CAP_SYS_RESOURCE in the kernel's capability sets (linux/capability.h). */
const sysResource = 24n;

/**
 * Returns the privileges that an engine in a container needs: `Privileged` where the machine has all capabilities. On virtual machines
 * without CAP_SYS_RESOURCE a privileged container cannot start: there the result grants every other capability and privilege individually,
 * and containers on the node cannot raise ulimits above those of the node.
 */
export async function nodePrivileges(statusFile = '/proc/self/status'): Promise<Readonly<Record<string, unknown>>> {
  if (await hasSysResource(statusFile)) return { Privileged: true };
  return {
    CapAdd: ['ALL'],
    CapDrop: ['SYS_RESOURCE'],
    SecurityOpt: ['seccomp=unconfined', 'apparmor=unconfined'],
    MaskedPaths: [],
    ReadonlyPaths: [],
    DeviceCgroupRules: ['a *:* rwm'],
  };
}

async function hasSysResource(statusFile: string): Promise<boolean> {
  const bounding = /^CapBnd:\s*([0-9a-f]+)$/m.exec(await readFile(statusFile, 'utf8'));
  return bounding !== null && (BigInt(`0x${bounding[1]}`) & (1n << sysResource)) !== 0n;
}
