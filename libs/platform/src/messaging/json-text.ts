import { MessageTooLargeError } from './messaging.port.js';

/** The maximum bytes of a message; equals the default of NATS. */
export const MAX_MESSAGE_BYTES = 1024 * 1024;

/** Converts a payload to JSON text, empty for undefined. Throws MessageTooLargeError, TypeError if it is not JSON. */
export function toJsonText(subject: string, payload: unknown): string {
  const text: string = JSON.stringify(payload) ?? '';
  if (text.length * 3 > MAX_MESSAGE_BYTES) {
    const bytes = Buffer.byteLength(text);
    if (bytes > MAX_MESSAGE_BYTES) throw new MessageTooLargeError(subject, bytes);
  }
  return text;
}

/** Converts text of `toJsonText` back to the payload. */
export function fromJsonText(text: string): unknown {
  return text === '' ? undefined : JSON.parse(text);
}
