import type { NodeView } from '../model.js';

/** Whether the node lacks the plug-in: it does not list it although it lists its plug-ins, or refused it recently. */
export const lacksPlugin = (
  { refusedPlugins = [] }: NodeView,
  listed: readonly string[] | undefined,
  plugin: string,
): boolean => refusedPlugins.includes(plugin) || (listed !== undefined && !listed.includes(plugin));
