import type { Logger } from 'pino';

/** The level that a signal turns on. */
const DETAILED = 'debug';

/** The loggers of this process with the levels of their settings. They are not kept in memory for it. */
const loggers = new Map<symbol, { readonly logger: WeakRef<Logger>; readonly set: string }>();
const ended = new FinalizationRegistry<symbol>(key => void loggers.delete(key));
let isDetailed = false;

/** Notes a logger whose settings say the level `set`: it then changes with all others. */
export function followLevel(logger: Logger, set: string): void {
  const key = Symbol('logger');
  loggers.set(key, { logger: new WeakRef(logger), set });
  ended.register(logger, key);
  if (isDetailed) apply(logger, set);
}

/** Logs everything from `debug` on, or again what the settings ask for. Returns whether the log is detailed now. */
export function toggleDetailedLogs(): boolean {
  isDetailed = !isDetailed;
  for (const { logger, set } of loggers.values()) {
    const living = logger.deref();
    if (living) apply(living, set);
  }
  return isDetailed;
}

/** A logger that writes more by its settings keeps its level. */
function apply(logger: Logger, set: string): void {
  logger.level = isDetailed && set !== 'trace' ? DETAILED : set;
}

/** Turns detailed logs on, or off again, as SIGUSR2 does, and says so in the log. */
export function toggleLogs(log: Logger): void {
  const text = toggleDetailedLogs() ? 'everything from debug on is logged' : 'the log has the level of LOG_LEVEL again';
  log.warn({}, text);
}
