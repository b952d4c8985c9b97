import { hash } from 'node:crypto';

/** Returns what a bearer is kept by in memory: itself is never kept. */
export const hashOf = (bearer: string): string => hash('sha256', bearer, 'base64');
