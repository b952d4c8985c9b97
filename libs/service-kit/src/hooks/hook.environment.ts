import { IsIntegerIn, listIn, type SettingsClass } from '@stave/platform';
import { Matches } from 'class-validator';
import { DEFAULT_HOOK_CONCURRENCY, HOOK_HOSTS_PATTERN, HOOK_HOSTS_RULE } from './hook-hosts.js';
import type { HookOptions } from './hooks.module.js';

/** Returns a class that also has the settings of hooks. */
export function withHooks<Base extends SettingsClass>(base: Base) {
  class HookEnvironment extends base {
    /** The hosts that hooks of deletion policies may name, separated by commas. Empty: none. */
    @Matches(HOOK_HOSTS_PATTERN, { message: HOOK_HOSTS_RULE })
    HOOK_HOSTS = '';

    /** How many hooks are called at the same time; a project has at most half of them. */
    @IsIntegerIn(1, 10_000, 'calls')
    HOOK_CONCURRENCY: number = DEFAULT_HOOK_CONCURRENCY;
  }
  return HookEnvironment;
}

/** Returns the settings of hooks. */
export const hookSettings = (
  given: InstanceType<ReturnType<typeof withHooks<SettingsClass>>>,
): Required<HookOptions> => ({
  hookHosts: listIn(given.HOOK_HOSTS),
  hookConcurrency: given.HOOK_CONCURRENCY,
});
