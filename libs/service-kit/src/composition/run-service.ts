import type { ServiceName } from '@stave/contracts';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { AsyncMicroserviceOptions } from '@nestjs/microservices';
import {
  createLogger,
  judgeTransport,
  NotReadyError,
  openCertificate,
  serveHealth,
  startTracing,
  type Logger,
  type OptionalChecks,
  type ServedCertificate,
} from '@stave/platform';
import { NewerEvents } from '../events/newer-events.js';
import { RingRegistration } from '../ring/ring-registration.js';
import { CommandLoad } from '../work/command-load.js';
import { MessagingTransport } from './messaging-transport.js';
import type { ServicePorts } from './ports.js';
import { runProcess, type ProcessHandle } from './run-process.js';
import { openPorts } from './open-ports.js';
import type { ServiceConfig } from './service.environment.js';

/** Runs a service in a process of its own. Health, requests, stores and connections are closed in this order. */
export function runService<C extends ServiceConfig>(
  name: ServiceName,
  read: () => C,
  create: (ports: ServicePorts, config: C) => Promise<RunningService>,
  process: ProcessHandle,
): void {
  runProcess(process, async () => {
    const config = read();
    const log = createLogger(name, config.logLevel);
    const certificate = prepareTransport(config, log);
    const tracing = await startTracing(name, config.tracesTo, log);
    const ports = await openPorts(name, config.ports, log);
    const newerEvents = new NewerEvents({ service: name, log });
    const commandLoad = new CommandLoad();
    const own = { commandLoad, newerEvents, ringUser: config.ringUser, onFatal: () => process.exit(1) };
    const service = await create({ ...ports, ...own }, config);
    ports.snapshotFile?.start();
    const ready = async (): Promise<OptionalChecks> => {
      const checks = await ports.ready();
      if (newerEvents.problem !== undefined) throw new NotReadyError({ ...checks, events: newerEvents.problem });
      return checks;
    };
    const health = config.health.port === 0 ? undefined : await serveHealth(config.health, ready, { certificate });
    log.info('ready');
    return {
      log,
      stop: [
        ['health port', () => health?.close()],
        ['certificate', () => certificate?.close()],
        ['requests in progress', () => service.close()],
        ['stores and connections', () => ports.close()],
        ['spans', () => tracing.close()],
      ],
    };
  });
}

/** Returns the certificate of the health port, if it has one. Throws BadEnvironmentError when TLS is required and a setting needs none. */
function prepareTransport({ ports, health, tls }: ServiceConfig, log: Logger): ServedCertificate | undefined {
  const { nats, eventStoreUrl, mongo } = ports;
  const served = health.port === 0 ? {} : { certFile: tls.files?.certFile ?? '' };
  judgeTransport(
    { ...served, nats, eventStoreUrl, ...(mongo && { mongoUrl: mongo.url, mongoFiles: mongo.files ?? {} }) },
    tls.required,
    log,
  );
  return openCertificate(tls.files, log);
}

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
