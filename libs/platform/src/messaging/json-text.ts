import { MessageTooLargeError } from './messaging.port.js';

/** The largest message, as NATS has it by default. */
export const MAX_MESSAGE_BYTES = 1024 * 1024;

/** A payload as it goes over the wire; empty for undefined. Throws MessageTooLargeError, and TypeError for what is not JSON. */
export function toJsonText(subject: string, payload: unknown): string {
  const text: string = JSON.stringify(payload) ?? '';
  if (text.length * 3 > MAX_MESSAGE_BYTES) {
    const bytes = Buffer.byteLength(text);
    if (bytes > MAX_MESSAGE_BYTES) throw new MessageTooLargeError(subject, bytes);
  }
  return text;
}

/** The payload of a text made by `toJsonText`. */
export function fromJsonText(text: string): unknown {
  return text === '' ? undefined : JSON.parse(text);
}
