import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, sep } from 'node:path';
import type { DriverModule } from '../driver.js';

/**
 * Loads the main module of a driver: the one that package.json names (`exports`, `main`), else `dist/index.js`, else `driver.js`. Accepts
 * a CommonJS or transpiled default export. Throws when there is no main module, when it throws, or when it is not a DriverModule.
 */
export function loadDriverModule(directory: string): DriverModule {
  const requireFrom = createRequire(join(directory, 'package.json'));
  const file = mainFile(directory, requireFrom);
  if (file === undefined)
    throw new Error(
      'no main module: build the driver, or name the module in package.json (exports or main), dist/index.js or driver.js',
    );
  const found = unwrap(requireFrom(file));
  if (!found) throw new Error(`${file} does not export a driver module (an object with open())`);
  return found;
}

function mainFile(directory: string, requireFrom: NodeJS.Require): string | undefined {
  const candidates = [declaredMain(directory, requireFrom), 'dist/index.js', 'driver.js'];
  const paths = candidates.flatMap(file => (file === undefined ? [] : join(directory, file)));
  return paths.find(path => existsSync(path));
}

function declaredMain(directory: string, requireFrom: NodeJS.Require): string | undefined {
  const manifest = join(directory, 'package.json');
  if (!existsSync(manifest)) return undefined;
  const { name, main }: { name?: unknown; main?: unknown } = JSON.parse(readFileSync(manifest, 'utf8'));
  const exported = typeof name === 'string' ? resolveInside(directory, name, requireFrom) : undefined;
  return exported ?? (typeof main === 'string' ? main : undefined);
}

/** Resolves the package by its own name, with the export conditions of this process; ignores other copies of it. */
function resolveInside(directory: string, name: string, requireFrom: NodeJS.Require): string | undefined {
  const root = realpathSync(directory) + sep;
  try {
    const file = realpathSync(requireFrom.resolve(name));
    return file.startsWith(root) ? file.slice(root.length) : undefined;
  } catch {
    // there are no exports, or the exported file is not built: the caller tries the default places
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
