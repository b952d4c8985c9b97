import { RefusedError } from '@stave/contracts';
import { NoRespondersError, RequestTimeoutError, type Messaging } from '@stave/platform';
import { ask } from './ask.js';
import { noAnswer } from './no-answer.js';

const TIMEOUT_MS = 10_000;

/** What one service asks another on its own behalf. */
export interface ServiceQuestion {
  /** The service that asks. */
  readonly from: string;
  readonly subject: string;
  readonly body: object;
  readonly correlationId: string;
  /** Who is asked, as the refusal says where nobody answers. */
  readonly asked: string;
}

/** Resolves to the data of the answer. Throws RefusedError: that of the answer, or `dependency-unavailable` without one within 10 s. */
export async function askService<D>(messaging: Messaging, question: ServiceQuestion): Promise<D> {
  const { from, subject, body, correlationId, asked } = question;
  const actor = { keyId: from, role: 'admin', project: null } as const;
  try {
    return (await ask<D>(messaging, subject, { meta: { correlationId, actor }, body }, TIMEOUT_MS)).data;
  } catch (error) {
    if (error instanceof NoRespondersError || error instanceof RequestTimeoutError)
      throw new RefusedError(noAnswer(asked));
    throw error;
  }
}
