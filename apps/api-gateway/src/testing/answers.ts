import type { CloudEvent } from '@stave/platform';
import type { Problem } from '../problems/problem.js';

export interface PageOf<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
  readonly total?: number;
}

export async function problemIn(answer: Response): Promise<Problem> {
  return (await answer.json()) as Problem;
}

export async function pageIn<T = CloudEvent & { data: Record<string, unknown> }>(answer: Response): Promise<PageOf<T>> {
  return (await answer.json()) as PageOf<T>;
}
