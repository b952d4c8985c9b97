const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Returns by what settings of operators may name a project, in the order in which they count: its id, and its name where that is known. A name
 * that looks like an id is left out: such a setting is meant for the project of that id only.
 */
export const projectKeys = (id: string, name?: string): readonly string[] =>
  name === undefined || ID.test(name) ? [id] : [id, name];
