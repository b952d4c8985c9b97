import type { BuiltModel } from './built-model.js';

type Models = ReadonlyMap<string, BuiltModel>;

/** Whether a collection of this read model serves, without a name: of each, as far as this replica knows. */
export const areServed = (models: Models, name?: string): boolean =>
  [...models].every(([each, { reader }]) => (name !== undefined && each !== name) || reader.isServed);

/**
 * Whether this replica has a read model to write that serves. One that is new in a release does not hold up the others: it is built from
 * everything in memory, wherever the checkpoint is.
 */
export const isOneWritten = (models: Models): boolean =>
  models.size === 0 || [...models.values()].some(({ writer }) => writer.isServed);

/** Looks up the serving collections. Resolves to whether there is one; the replica that writes may be of a release that does not know all. */
export async function refreshServed(models: Models): Promise<boolean> {
  const served = await Promise.all([...models.values()].map(({ reader }) => reader.refresh()));
  return served.length === 0 || served.some(Boolean);
}
