import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { EventStore, Messaging } from '@stave/platform';
import { EventHub } from './events/event-hub.js';
import { EventStreams } from './events/event-streams.js';
import { silentLog, type GatewayLog } from './gateway-log.js';
import { GatewayModule } from './gateway.module.js';
import type { GatewaySettings } from './gateway.tokens.js';
import { AnswerAdapter } from './http/answer.adapter.js';
import { fastifyOptions } from './http/fastify-options.js';
import { acceptJson } from './http/json-body.js';
import { observeRequests } from './http/request-hooks.js';
import { Metrics } from './observability/metrics.js';
import { OperationQueries } from './operations/operation-queries.js';
import { LogFollower } from './containers/log-follower.js';

export interface GatewayOptions {
  /** Closed by the caller, not by the gateway. */
  readonly messaging: Messaging;
  /** Closed by the caller, not by the gateway. */
  readonly eventStore: EventStore;
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  readonly log?: GatewayLog;
  /** The deadline of a request to a service in milliseconds; default 10,000. */
  readonly requestTimeoutMs?: number;
  /** The time between two comment lines of an event stream in milliseconds; default 15,000. */
  readonly heartbeatMs?: number;
  /** The bytes that can wait for a reader of the event stream before it is disconnected; default 1 MB. */
  readonly slowReaderBytes?: number;
}

export interface Gateway {
  readonly url: string;
  /** Stops accepting requests, finishes those in progress, and ends event streams with a comment. */
  close(): Promise<void>;
}

function settingsOf(options: GatewayOptions): GatewaySettings {
  return {
    requestTimeoutMs: options.requestTimeoutMs ?? 10_000,
    heartbeatMs: options.heartbeatMs ?? 15_000,
    slowReaderBytes: options.slowReaderBytes ?? 1024 * 1024,
  };
}

/** Starts the gateway; resolves when it listens. Throws when the event store cannot be reached or the port is taken. */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const { messaging, eventStore, host, port, log = silentLog } = options;
  const adapter = new AnswerAdapter(fastifyOptions(log));
  const dependencies = { messaging, eventStore, log, settings: settingsOf(options) };
  const app = await NestFactory.create<NestFastifyApplication>(GatewayModule.with(dependencies), adapter, {
    logger: false,
    bodyParser: false,
    abortOnError: false,
  });
  const fastify = adapter.getInstance();
  acceptJson(fastify);
  observeRequests(fastify, app.get(Metrics));
  const close = (): Promise<void> => closeAll(app);
  try {
    await app.get(EventHub).start();
    await app.listen(port, host);
  } catch (error) {
    await close();
    throw error;
  }
  return { url: await app.getUrl(), close };
}

async function closeAll(app: NestFastifyApplication): Promise<void> {
  app.get(OperationQueries).close();
  app.get(EventStreams).close();
  app.get(LogFollower).close();
  await app.close();
  await app.get(EventHub).close();
  app.get(Metrics).close();
}
