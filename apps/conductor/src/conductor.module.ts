import { Global, Module, type DynamicModule } from '@nestjs/common';
import type { Messaging } from '@stave/platform';
import { ConductorContext } from './conductor.context.js';
import { DRIVER_POOL_OPTIONS, MESSAGING, type DriverPoolOptions } from './conductor.tokens.js';
import { Conductor } from './conductor.js';
import { DriversModule } from './drivers/drivers.module.js';
import { ServiceClient } from './service-client.js';
import { SessionModule } from './session/session.module.js';
import { WorkModule } from './work/work.module.js';

interface ConductorModuleOptions {
  readonly context: ConductorContext;
  readonly messaging: Messaging;
  readonly drivers: DriverPoolOptions;
}

@Global()
@Module({})
class CoreModule {
  static of({ context, messaging, drivers }: ConductorModuleOptions): DynamicModule {
    const providers = [
      { provide: ConductorContext, useValue: context },
      { provide: MESSAGING, useValue: messaging },
      { provide: DRIVER_POOL_OPTIONS, useValue: drivers },
      ServiceClient,
    ];
    return { module: CoreModule, providers, exports: providers };
  }
}

/** One conductor. Several conductors in one process are several application contexts. */
@Module({ imports: [DriversModule, SessionModule, WorkModule], providers: [Conductor] })
export class ConductorModule {
  static of(options: ConductorModuleOptions): DynamicModule {
    return { module: ConductorModule, imports: [CoreModule.of(options)] };
  }
}
