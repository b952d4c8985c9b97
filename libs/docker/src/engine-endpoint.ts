import type { RequestOptions } from 'node:http';

/** How an engine is reached. */
export interface EngineEndpoint {
  /** Names the engine in messages; contains no secret. */
  readonly shown: string;
  /** Returns the options of a request that opens a connection of its own. Rejects with DriverError where a secret cannot be read. */
  dial(): Promise<Pick<RequestOptions, 'socketPath' | 'createConnection' | 'agent'>>;
}

/** An engine on a unix socket of this machine. */
export const onSocket = (socketPath: string): EngineEndpoint => ({
  shown: socketPath,
  dial: () => Promise.resolve({ socketPath, agent: false }),
});
