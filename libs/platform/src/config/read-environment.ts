import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Lists every invalid key of the environment, without values, which may be secrets. */
export class BadEnvironmentError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`bad configuration: ${problems.join('; ')}`);
    this.name = 'BadEnvironmentError';
  }
}

/**
 * Reads the settings that a class declares. The default of a property defines its type, and absent and empty values
 * take it. Throws BadEnvironmentError with all problems.
 */
export function readEnvironment<T extends object>(settings: new () => T, env: Environment): T {
  const given: Record<string, string | number> = {};
  for (const [key, standard] of Object.entries(new settings())) {
    const value = env[key];
    if (value === undefined || value === '') continue;
    given[key] = typeof standard === 'number' ? Number(value) : value;
  }
  const read = plainToInstance(settings, given, { exposeDefaultValues: true });
  const problems = validateSync(read, { validationError: { value: false, target: false } });
  if (problems.length === 0) return read;
  throw new BadEnvironmentError(
    problems.map(
      ({ property, constraints }) => `${property} ${[...new Set(Object.values(constraints ?? {}))].join(', ')}`,
    ),
  );
}

/** Returns the entries of a setting that is a list, without spaces around them and without empty ones. */
export const listIn = (text: string, separator = ','): string[] =>
  text
    .split(separator)
    .map(entry => entry.trim())
    .filter(entry => entry !== '');
