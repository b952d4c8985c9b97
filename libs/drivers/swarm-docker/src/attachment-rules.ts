import { containerProblems, DriverError, type ContainerRestrictions, type Options } from '@stave/driver-sdk';
import { EngineError, hasStatus } from '@stave/docker';

interface Asked {
  readonly name: string;
  readonly driver: string;
  readonly driverOptions: Options;
  readonly subnet?: string;
  readonly gateway?: string;
}

/**
 * Throws DriverError `permanent`: `plugin-missing` for a driver that neither the engine has nor the operator allows, `option-not-allowed` for
 * options beyond the restrictions.
 */
export function requireAllowed(rules: ContainerRestrictions, kind: 'network' | 'volume', asked: Asked): void {
  const { name, driver, driverOptions, subnet, gateway } = asked;
  const isKnown = Object.hasOwn(rules[`${kind}s`], driver) || rules.allowed.includes(driver);
  if (!isKnown) throw missingPlugin(kind, driver);
  const options = {
    ...driverOptions,
    ...(subnet !== undefined && { subnet }),
    ...(gateway !== undefined && { gateway }),
  };
  const used = { name, driver, options };
  const [problem] = containerProblems(
    rules,
    kind === 'network' ? { network: used } : { volumes: [{ ...used, mountPath: '/' }] },
  );
  if (problem) throw new DriverError('permanent', problem.detail, { code: problem.code });
}

export const missingPlugin = (kind: 'network' | 'volume', driver: string, cause?: unknown): DriverError =>
  new DriverError('permanent', `the ${kind} driver ${driver} does not exist here`, {
    code: 'plugin-missing',
    plugin: driver,
    cause,
  });

/** Returns the error of an engine that lacks the driver as `plugin-missing`, and every other error as it is. */
export function namedPlugin(kind: 'network' | 'volume', driver: string, error: unknown): unknown {
  const isMissing = error instanceof EngineError && /plugin .*not found|error looking up .*plugin/i.test(error.message);
  return isMissing ? missingPlugin(kind, driver, error) : error;
}

/** Whether the engine refused a removal because containers use the object. */
export const isInUse = (error: unknown): boolean =>
  hasStatus(error, 403, 409) ||
  (error instanceof EngineError && /in use by task|has active endpoints/i.test(error.message));

/** Returns driver options as the engine accepts them. */
export const texts = (options: Options): Record<string, string> =>
  Object.fromEntries(Object.entries(options).map(([name, value]) => [name, String(value)]));
