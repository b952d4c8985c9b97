/** A structured log, such as a pino logger. */
export interface GatewayLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

const nothing = (): void => undefined;

export const silentLog: GatewayLog = { debug: nothing, info: nothing, warn: nothing, error: nothing };
