import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, sep } from 'node:path';
import type { DriverModule } from '../driver.js';

/**
 * Loads a driver's main module: by package.json (`exports`, `main`), else `dist/index.js`, else `driver.js`. Takes a CommonJS
 * or transpiled default export. Throws when there is none, when it throws, or when it is no DriverModule.
 */
export function loadDriverModule(directory: string): DriverModule {
  const requireFrom = createRequire(join(directory, 'package.json'));
  const file = mainFile(directory, requireFrom);
  if (file === undefined)
    throw new Error('no main module: neither package.json main/exports, dist/index.js nor driver.js');
  const found = unwrap(requireFrom(file));
  if (!found) throw new Error(`${file} does not export a driver module (an object with open())`);
  return found;
}

function mainFile(directory: string, requireFrom: NodeJS.Require): string | undefined {
  const candidates = [declaredMain(directory, requireFrom), 'dist/index.js', 'driver.js'];
  return candidates
    .filter(file => file !== undefined)
    .map(file => join(directory, file))
    .find(file => existsSync(file));
}

function declaredMain(directory: string, requireFrom: NodeJS.Require): string | undefined {
  const manifest = join(directory, 'package.json');
  if (!existsSync(manifest)) return undefined;
  const { name, main }: { name?: unknown; main?: unknown } = JSON.parse(readFileSync(manifest, 'utf8'));
  const exported = typeof name === 'string' ? resolveInside(directory, name, requireFrom) : undefined;
  return exported ?? (typeof main === 'string' ? main : undefined);
}

/** Resolves the package by its own name (`exports` with the conditions of this process), never to another copy of it. */
function resolveInside(directory: string, name: string, requireFrom: NodeJS.Require): string | undefined {
  const root = realpathSync(directory) + sep;
  try {
    const file = realpathSync(requireFrom.resolve(name));
    return file.startsWith(root) ? file.slice(root.length) : undefined;
  } catch {
    // no exports, or what they name is not built: the usual places are tried next
    return undefined;
  }
}

function unwrap(exported: unknown, depth = 0): DriverModule | undefined {
  if (isModule(exported)) return exported;
  if (depth > 1 || typeof exported !== 'object' || exported === null || !('default' in exported)) return undefined;
  return unwrap(exported.default, depth + 1);
}

function isModule(value: unknown): value is DriverModule {
  return typeof value === 'object' && value !== null && 'open' in value && typeof value.open === 'function';
}
