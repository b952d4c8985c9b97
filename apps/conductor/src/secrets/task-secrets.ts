import { Inject, Injectable } from '@nestjs/common';
import type { Task } from '@stave/contracts';
import {
  DriverError,
  type ContainerSpec,
  type Driver,
  type DriverContext,
  type Options,
  type SecretReferences,
} from '@stave/driver-sdk';
import { knownSecrets } from '@stave/platform';
import { SECRET_FILES } from '../conductor.tokens.js';
import type { SecretFiles } from './secret-files.js';

/** Shorter values cannot be removed from messages: they may be parts of ordinary words. */
const SHORTEST = 8;

type Values = ReadonlyMap<string, string>;

/** Reads the secrets that containers name: from the files of the conductor, else from the store of the driver. */
@Injectable()
export class TaskSecrets {
  constructor(@Inject(SECRET_FILES) private readonly files: SecretFiles) {}

  /**
   * Returns the task with the values of its secrets, which are removed from everything that the conductor reports or logs from now on. Throws
   * DriverError `permanent` with the code `secret-missing` and the names of all that do not exist, or `secret-unusable`.
   */
  async resolve(task: Task, driver: Driver, ctx: DriverContext): Promise<Task> {
    if (task.kind !== 'container.create' || !task.spec.secrets) return task;
    const { secrets, ...spec } = task.spec;
    const values = await this.valuesOf(secrets, spec.options ?? {}, driver, ctx);
    const missing = namesIn(secrets).filter(name => !values.has(name));
    if (missing.length > 0) throw missingSecrets(missing, secrets);
    const unusable = [...values].find(([, value]) => value.length < SHORTEST || value.includes('\0'));
    if (unusable) throw unusableSecret(unusable[0]);
    return { ...task, spec: withValues(spec, secrets, values) };
  }

  /** Makes the conductor remove the secrets of a container from what it reports of it. */
  async learn(secrets: SecretReferences, options: Options, driver: Driver, ctx: DriverContext): Promise<void> {
    await this.valuesOf(secrets, options, driver, ctx);
  }

  private async valuesOf(
    secrets: SecretReferences,
    options: Options,
    driver: Driver,
    ctx: DriverContext,
  ): Promise<Values> {
    const values = new Map<string, string>();
    for (const name of namesIn(secrets)) {
      const { project } = secrets;
      const value = (await this.files.read(project, name)) ?? (await driver.secret?.(ctx, { name, project, options }));
      if (value === undefined) continue;
      learnSecret(value);
      values.set(name, value);
    }
    return values;
  }
}

/** The lines of a text may be written one by one, and a registry gets credentials in another form. */
function learnSecret(value: string): void {
  for (const form of [value, ...value.split(/\r?\n/), Buffer.from(value).toString('base64')]) knownSecrets.learn(form);
}

const namesIn = ({ env, imageCredentials }: SecretReferences): readonly string[] => [
  ...new Set([...Object.values(env), ...(imageCredentials === undefined ? [] : [imageCredentials])]),
];

function withValues(spec: ContainerSpec, { env, imageCredentials }: SecretReferences, values: Values): ContainerSpec {
  const read = Object.entries(env).map(([variable, name]) => [variable, values.get(name) ?? ''] as const);
  const login = values.get(imageCredentials ?? '');
  return {
    ...spec,
    env: { ...spec.env, ...Object.fromEntries(read) },
    ...(login !== undefined && { imageCredentials: login }),
  };
}

function missingSecrets(names: readonly string[], { project }: SecretReferences): DriverError {
  const what = names.length === 1 ? `secret ${names[0]} does` : `secrets ${names.join(', ')} do`;
  const message = `${what} not exist in project ${project.at(-1)}: neither in SECRETS_DIR nor in the store of the driver`;
  return new DriverError('permanent', message, { code: 'secret-missing' });
}

const unusableSecret = (name: string): DriverError =>
  new DriverError('permanent', `secret ${name} has fewer than ${SHORTEST} characters or is no text`, {
    code: 'secret-unusable',
  });
