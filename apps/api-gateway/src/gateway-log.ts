/** Structured log; a pino logger fits. */
export interface GatewayLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

const nothing = (): void => undefined;

export const silentLog: GatewayLog = { debug: nothing, info: nothing, warn: nothing, error: nothing };
