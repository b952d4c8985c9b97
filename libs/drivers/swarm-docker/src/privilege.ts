import { readFile } from 'node:fs/promises';

/** Bit of CAP_SYS_RESOURCE in the kernel's capability sets (linux/capability.h). */
const sysResource = 24n;

/**
 * The rights that an engine needs inside a container. Plain `Privileged` where the machine has the full capability set. Some virtual
 * machines lack CAP_SYS_RESOURCE, and there a privileged container cannot start; then all others, and what `Privileged`
 * opens besides, are given one by one. Inner containers then cannot raise ulimits above the node's.
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
