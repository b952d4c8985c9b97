import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Names every bad key of the environment, and no value: a value may be a secret. */
export class BadEnvironmentError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`bad configuration: ${problems.join('; ')}`);
    this.name = 'BadEnvironmentError';
  }
}

/**
 * Reads the settings that a class declares. Every property has a default, which also says its type: what stands for a number
 * is read as one. Absent and empty values take the default. Throws BadEnvironmentError with all problems at once.
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
