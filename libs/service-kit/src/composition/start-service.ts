import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { AsyncMicroserviceOptions } from '@nestjs/microservices';
import { RingRegistration } from '../ring/ring-registration.js';
import { MessagingTransport } from './messaging-transport.js';

export interface RunningService {
  /** Finishes the requests in progress, hands over the leadership and stops. */
  close(): Promise<void>;
}

/** Starts a service as a Nest microservice on the messaging port; it then registers in the ring. Resolves when it answers requests. */
export async function startService(appModule: DynamicModule): Promise<RunningService> {
  const app = await NestFactory.createMicroservice<AsyncMicroserviceOptions>(appModule, {
    inject: [MessagingTransport],
    useFactory: (strategy: MessagingTransport) => ({ strategy }),
    logger: ['error', 'fatal'],
    abortOnError: false,
  });
  await app.listen();
  const registration = app.get(RingRegistration);
  registration.start();
  return {
    close: async () => {
      // while this replica still answers: cluster-service serves the request to leave itself
      await registration.stop();
      await app.close();
    },
  };
}
