import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { Server } from 'node:https';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  isTracing,
  listenAsSet,
  type EventStore,
  type Logger,
  type Messaging,
  type ServedCertificate,
} from '@stave/platform';
import { auditRequests } from './audit/audit-entries.js';
import { AuditLog } from './audit/audit-log.js';
import { NamedProjects } from './audit/named-projects.js';
import { admitRequests, Admission } from './auth/admission.js';
import { serveConsole } from './console/serve-console.js';
import { serveHelp } from './help/serve-help.js';
import { GatewayEnvironment, limitsOf } from './gateway.config.js';
import { GatewayModule } from './gateway.module.js';
import type { GatewaySettings } from './gateway.tokens.js';
import { AnswerAdapter } from './http/answer.adapter.js';
import { compressAnswers } from './http/compression.js';
import { Connections } from './http/connections.js';
import { fastifyOptions, observeRequests, traceRequests } from './http/fastify-options.js';
import { acceptJson } from './http/json-body.js';
import { askForBodies, refuseMalformedHeads } from './http/request-head.js';
import { refuseUnsupportedMethods } from './http/unsupported-methods.js';
import { AnswerLimits } from './limits/answer-limits.js';
import { Metrics } from './observability/metrics.js';

export interface GatewayOptions extends Partial<GatewaySettings> {
  /** Closed by the caller, not by the gateway. */
  readonly messaging: Messaging;
  /** Closed by the caller, not by the gateway. */
  readonly eventStore: EventStore;
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  readonly log: Logger;
  /** Absent: without TLS. Closed by the caller. */
  readonly certificate?: ServedCertificate;
}

export interface Gateway {
  readonly url: string;
  /** Accepts no more connections, answers the requests of open ones, ends event streams with a comment, and closes the connections in bounded time. */
  close(): Promise<void>;
}

const defaults: GatewaySettings = {
  requestTimeoutMs: 10_000,
  heartbeatMs: 15_000,
  keyUseReportMs: 15_000,
  slowReaderBytes: 1024 * 1024,
  ...limitsOf(new GatewayEnvironment()),
  identity: { issuers: [] },
  publicUrl: '',
  sessionKeyFile: '',
  headersTimeoutMs: 10_000,
  receiveTimeoutMs: 30_000,
  readTimeoutMs: 60_000,
};

/** Starts the gateway; resolves when it listens. Throws when the event store cannot be reached, and CannotListenError. */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const { messaging, eventStore, host, port, log, certificate, ...given } = options;
  const settings = { ...defaults, ...given };
  const module = GatewayModule.with(messaging, eventStore, log, settings);
  const adapter = new AnswerAdapter(fastifyOptions(log, settings, certificate));
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger: false,
    bodyParser: false,
    abortOnError: false,
  });
  const fastify = adapter.getInstance();
  if (certificate && 'setSecureContext' in fastify.server) certificate.serve(fastify.server as Server);
  acceptJson(fastify);
  const { readTimeoutMs, requestTimeoutMs: finishMs } = settings;
  const answers = app.get(AnswerLimits);
  const connections = new Connections({ readTimeoutMs, finishMs, answers });
  if (isTracing()) traceRequests(fastify);
  observeRequests(fastify, app.get(Metrics), log);
  auditRequests(fastify, app.get(AuditLog), app.get(NamedProjects));
  compressAnswers(fastify);
  connections.watch(fastify, log);
  refuseMalformedHeads(fastify, log);
  refuseUnsupportedMethods(fastify, log);
  admitRequests(fastify, app.get(Admission), log);
  askForBodies(fastify);
  serveConsole(fastify, log);
  fastify.get('/docs/', (_request, reply) => reply.redirect('/docs', 308));
  serveHelp(fastify, log);
  const close = async (): Promise<void> => {
    const closed = app.close();
    connections.close();
    await closed;
  };
  try {
    await listenAsSet({ host, port }, () => app.listen(port, host));
  } catch (error) {
    await close();
    throw error;
  }
  const url = await app.getUrl();
  return { url: certificate ? url.replace(/^http:/, 'https:') : url, close };
}
