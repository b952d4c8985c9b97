import { HttpException } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { problemOf } from '../problems/problem.js';

const statuses: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/** Answers, with a problem document, what Node cannot parse as a request or did not receive in time, and closes the connection. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  answerOnSocket(socket, statuses[error.code ?? ''] ?? 400);
}

/** Writes the problem document of a status to a connection for which Node has no response object, and closes it. */
export function answerOnSocket(socket: Duplex, status: number, headers: readonly string[] = []): void {
  const id = randomUUID();
  const { problem } = problemOf(new HttpException('', status), '/', id);
  const body = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${status} ${problem.title}`,
    ...headers,
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Correlation-Id: ${id}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ];
  socket.on('error', () => socket.destroy()); // the client may be gone before it is answered
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
