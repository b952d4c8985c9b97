import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export interface Memory {
  readonly heapMb: number;
  readonly rssMb: number;
}

/** Collects garbage, and returns the memory of this process. */
export function memoryInUse(): Memory {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  for (let i = 0; i < 3; i += 1) collectGarbage();
  const { heapUsed, rss } = process.memoryUsage();
  return { heapMb: heapUsed / 2 ** 20, rssMb: rss / 2 ** 20 };
}
