import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { valid, validRange } from 'semver';
import type { DriverManifest } from '../driver.js';
import { manifestSchema } from './manifest.schema.js';
import { compileOptions, problemsOf, type OptionProblem } from './option-validation.js';

export const MANIFEST_FILE = 'driver.manifest.json';

/** Reports all problems of an invalid manifest. */
class ManifestError extends Error {
  constructor(readonly problems: readonly OptionProblem[]) {
    super(`invalid manifest: ${problems.map(p => `${p.pointer || '/'} ${p.detail}`).join('; ')}`);
    this.name = 'ManifestError';
  }
}

const matches = new Ajv({ allErrors: true }).compile<DriverManifest>(manifestSchema);

/** Reads and validates the manifest of a driver directory. Throws ManifestError, also for text that is not JSON. */
export async function loadManifest(directory: string): Promise<DriverManifest> {
  const content = await readFile(join(directory, MANIFEST_FILE), 'utf8');
  return parseManifest(parseJson(content));
}

function parseManifest(json: unknown): DriverManifest {
  if (!matches(json)) throw new ManifestError(problemsOf(matches.errors));
  const problems = [...versionProblems(json), ...schemaProblems(json)];
  if (problems.length > 0) throw new ManifestError(problems);
  return json;
}

function parseJson(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new ManifestError([{ pointer: '', code: 'json', detail }]);
  }
}

function versionProblems(manifest: DriverManifest): OptionProblem[] {
  const checks: readonly [string, string | null, string][] = [
    ['/version', valid(manifest.version), 'must be a semantic version'],
    ['/sdk', validRange(manifest.sdk), 'must be a range of semantic versions'],
    ['/compatibleFrom', valid(manifest.compatibleFrom ?? manifest.version), 'must be a semantic version'],
  ];
  return checks.filter(([, ok]) => ok === null).map(([pointer, , detail]) => ({ pointer, code: 'version', detail }));
}

/** Options are stored in events, unencrypted and permanently: none may be a secret. */
function secretOptions(schema: unknown, pointer = '/options'): OptionProblem[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const isMarked = Object.entries(schema).some(
    ([keyword, value]) => (keyword === 'writeOnly' && value === true) || (keyword === 'format' && value === 'password'),
  );
  const detail =
    'is marked as a secret, but options are stored unencrypted: replace it by an option that names where the secret is';
  const own = isMarked ? [{ pointer, code: 'secret', detail }] : [];
  const inner = Object.entries(schema).flatMap(([name, value]) => secretOptions(value, `${pointer}/${name}`));
  return [...own, ...inner];
}

function schemaProblems(manifest: DriverManifest): OptionProblem[] {
  const secret = secretOptions(manifest.options);
  if (secret.length > 0) return secret;
  try {
    compileOptions(manifest.options);
    return [];
  } catch (cause) {
    return [{ pointer: '/options', code: 'schema', detail: cause instanceof Error ? cause.message : String(cause) }];
  }
}
