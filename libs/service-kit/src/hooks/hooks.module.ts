import { Global, Module, type DynamicModule } from '@nestjs/common';
import { HookCalls } from './hook-calls.js';
import { DEFAULT_HOOK_CONCURRENCY, HOOK_CONCURRENCY, HOOK_HOSTS } from './hook-hosts.js';

export interface HookOptions {
  /** The hosts that hooks of deletion policies may name; absent: none. */
  readonly hookHosts?: readonly string[];
  /** How many hooks are called at the same time; absent: 32. */
  readonly hookConcurrency?: number;
}

/** Calls hooks on the hosts that they may name; none by default. */
@Global()
@Module({})
export class HooksModule {
  static forRoot({ hookHosts = [], hookConcurrency = DEFAULT_HOOK_CONCURRENCY }: HookOptions): DynamicModule {
    return {
      module: HooksModule,
      providers: [
        { provide: HOOK_HOSTS, useValue: hookHosts },
        { provide: HOOK_CONCURRENCY, useValue: hookConcurrency },
        HookCalls,
      ],
      exports: [HOOK_HOSTS, HookCalls],
    };
  }
}
