import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { EventStore, Messaging } from '@stave/platform';
import { GatewayModule } from './gateway.module.js';
import type { GatewayLog, GatewaySettings } from './gateway.tokens.js';
import { AnswerAdapter } from './http/answer.adapter.js';
import { fastifyOptions, observeRequests } from './http/fastify-options.js';
import { acceptJson } from './http/json-body.js';
import { Metrics } from './observability/metrics.js';

export interface GatewayOptions extends Partial<GatewaySettings> {
  /** Closed by the caller, not by the gateway. */
  readonly messaging: Messaging;
  /** Closed by the caller, not by the gateway. */
  readonly eventStore: EventStore;
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  readonly log?: GatewayLog;
}

export interface Gateway {
  readonly url: string;
  /** Stops accepting requests, finishes those in progress, and ends event streams with a comment. */
  close(): Promise<void>;
}

const nothing = (): void => undefined;
const silentLog: GatewayLog = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const defaults: GatewaySettings = { requestTimeoutMs: 10_000, heartbeatMs: 15_000, slowReaderBytes: 1024 * 1024 };

/** Starts the gateway; resolves when it listens. Throws when the event store cannot be reached or the port is taken. */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const { messaging, eventStore, host, port, log = silentLog, ...given } = options;
  const module = GatewayModule.with(messaging, eventStore, log, { ...defaults, ...given });
  const adapter = new AnswerAdapter(fastifyOptions(log));
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger: false,
    bodyParser: false,
    abortOnError: false,
  });
  const fastify = adapter.getInstance();
  acceptJson(fastify);
  observeRequests(fastify, app.get(Metrics));
  const close = (): Promise<void> => app.close();
  try {
    await app.listen(port, host);
  } catch (error) {
    await close();
    throw error;
  }
  return { url: await app.getUrl(), close };
}
