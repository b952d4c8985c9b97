import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckResult } from './run-kit.js';

export const IMAGE_CHECK = 'documents the image of nodes, and has a script that makes it';

/** Checks the folder `image` of a driver, which is optional. */
export function imageFolderResults(directory: string): readonly CheckResult[] {
  const folder = join(directory, 'image');
  if (!existsSync(folder)) return [];
  const failures = [
    ...(existsSync(join(folder, 'README.md')) ? [] : ['image/README.md is missing']),
    ...(canRun(join(folder, 'build.sh')) ? [] : ['image/build.sh is missing or cannot be executed']),
  ];
  const [failure] = failures;
  return [
    { part: 'image', title: IMAGE_CHECK, passed: failure === undefined, ...(failure !== undefined && { failure }) },
  ];
}

function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false; // missing, or without the permission: the check says so
  }
}
