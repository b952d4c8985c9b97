import type { DriverLogger } from '../driver.js';

const ignore = (): void => undefined;

/** A logger that discards every line. */
export const silentLogger: DriverLogger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
