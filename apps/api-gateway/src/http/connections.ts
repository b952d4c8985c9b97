import { RefusedError } from '@stave/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Socket } from 'node:net';
import type { Logger } from '@stave/platform';
import type { AnswerLimits, Release } from '../limits/answer-limits.js';
import { sendProblem } from '../problems/problem.filter.js';
import { holderOf } from './call.js';

/** The most requests of one connection that are not answered completely. Clients that do not pipeline have one. */
const MAX_AT_ONCE = 16;
const CHECKS_PER_LIMIT = 10;
/** The time that clients have to read their last answers when the gateway closes. */
const LAST_WORDS_MS = 2000;
const CLOSING_CHECK_MS = 100;

const tooMany = new RefusedError({
  code: 'too-many-requests-at-once',
  kind: 'rate',
  detail: `${MAX_AT_ONCE} requests of this connection are not answered yet; send others when their answers are read`,
  retryAfterMs: 1000,
});

export interface ConnectionLimits {
  /** Counts answers that are not read. */
  readonly answers: AnswerLimits;
  /** The time that a client has to read an answer that is no stream, in milliseconds. */
  readonly readTimeoutMs: number;
  /** The time for requests in progress after `close`, in milliseconds. */
  readonly finishMs: number;
}

interface Sent {
  readonly socket: Socket;
  readonly since: number;
  readonly release: Release;
}

/** What one connection has: requests that are not answered completely, and answers that are sent. */
interface Held {
  count: number;
  readonly sending: Set<object>;
}

/**
 * Bounds the memory of answers that wait for their clients: how many one connection can request, and how long it may take to read one.
 * Streams have bounds of their own. Node does not close a connection without a request when its server closes; `close` does.
 */
export class Connections {
  private readonly unanswered = new Map<Socket, Held>();
  /** Since when answers are sent, by request, oldest first. */
  private readonly sending = new Map<object, Sent>();
  /** Requests that were counted; Fastify answers some before its hooks. */
  private readonly counted = new WeakSet();
  private timer: NodeJS.Timeout;
  private closesAt = Infinity;

  constructor(private readonly limits: ConnectionLimits) {
    this.timer = setInterval(
      () => this.cutUnread(limits.readTimeoutMs),
      limits.readTimeoutMs / CHECKS_PER_LIMIT,
    ).unref();
  }

  /** Must be called before hooks that answer requests are added. */
  watch(fastify: FastifyInstance, log: Logger): void {
    // requests name the socket inside TLS, which is another one than that of the connection
    const opened = 'setSecureContext' in fastify.server ? 'secureConnection' : 'connection';
    fastify.server.on(opened, (socket: Socket) => {
      const held: Held = { count: 0, sending: new Set() };
      this.unanswered.set(socket, held);
      // answers behind another one of a closed connection never end by themselves
      socket.once('close', () => {
        this.unanswered.delete(socket);
        for (const request of held.sending) this.sent(request);
      });
    });
    fastify.addHook('onRequest', (request, reply, done) => {
      this.counted.add(request);
      if (this.count(request.raw.socket, 1) > MAX_AT_ONCE) sendProblem(tooMany, request, reply, log);
      else done();
    });
    fastify.addHook('onSend', (request, _reply, payload, done) => {
      const { socket } = request.raw;
      const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload);
      if (isWhole) this.send(request, socket, payload.length);
      done();
    });
    fastify.addHook('onResponse', (request, _reply, done) => {
      this.sent(request);
      if (this.counted.has(request)) this.count(request.raw.socket, -1);
      done();
    });
  }

  /** Ends the connections: those without a request at once, the others when they are answered, in bounded time. */
  close(): void {
    clearInterval(this.timer);
    this.closesAt = performance.now() + this.limits.finishMs;
    this.timer = setInterval(() => this.endConnections(), CLOSING_CHECK_MS);
    this.endConnections();
  }

  /** Returns how many requests of the connection are not answered now. */
  private count(socket: Socket, change: number): number {
    const held = this.unanswered.get(socket);
    if (held === undefined) return 0; // it is closed
    held.count += change;
    return held.count;
  }

  private send(request: FastifyRequest, socket: Socket, bytes: number): void {
    const held = this.unanswered.get(socket);
    if (held === undefined) return; // it is closed
    held.sending.add(request);
    const release = this.limits.answers.sending(holderOf(request), bytes);
    this.sending.set(request, { socket, since: performance.now(), release });
  }

  private sent(request: object): void {
    const answer = this.sending.get(request);
    if (answer === undefined) return;
    this.sending.delete(request);
    this.unanswered.get(answer.socket)?.sending.delete(request);
    answer.release();
  }

  private endConnections(): void {
    this.cutUnread(LAST_WORDS_MS);
    const isOver = performance.now() > this.closesAt;
    for (const [socket, { count }] of this.unanswered) if (count === 0 || isOver) socket.destroy();
    if (this.unanswered.size === 0) clearInterval(this.timer);
  }

  private cutUnread(limitMs: number): void {
    const before = performance.now() - limitMs;
    for (const { socket, since } of this.sending.values()) {
      if (since > before) break;
      socket.destroy();
    }
  }
}
