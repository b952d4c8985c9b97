import { Module, type DynamicModule, type INestMicroservice, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import type { ServiceName } from '@stave/contracts';
import { readModelController } from '../read-models/read-model.controller.js';
import { MessagingTransport } from './messaging-transport.js';
import { ReplyFilter } from './reply.filter.js';
import { RingRegistration } from '../ring/ring-registration.js';
import type { ServiceRuntime } from './service-runtime.js';

/** A started service. */
export interface RunningService {
  /** Finishes the requests under way, gives the leadership up, stops. */
  close(): Promise<void>;
}

@Module({})
class ServiceModule {
  static with(controllers: Type<object>[]): DynamicModule {
    return { module: ServiceModule, controllers };
  }
}

/** Starts the runtime, then a Nest microservice with these controllers on the messaging port, then registers in the ring. */
export async function hostService(
  service: ServiceName,
  runtime: ServiceRuntime,
  controllers: Type<object>[],
): Promise<RunningService> {
  await runtime.start();
  const strategy = new MessagingTransport(runtime.options.messaging, service, runtime.plans);
  const app: INestMicroservice = await NestFactory.createMicroservice<MicroserviceOptions>(
    ServiceModule.with([...controllers, readModelController(service, runtime)]),
    { strategy, logger: ['error', 'fatal'], abortOnError: false },
  );
  app.useGlobalFilters(new ReplyFilter(runtime.log));
  await app.listen();
  const { messaging, log, ringUser } = runtime.options;
  const registration = ringUser && new RingRegistration({ service, user: ringUser, messaging, log });
  registration?.start();
  return {
    close: async () => {
      await registration?.stop();
      await app.close();
      await runtime.stop();
    },
  };
}
