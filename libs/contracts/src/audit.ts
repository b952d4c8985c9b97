/** How somebody is known to the gateway. */
export type SignInMethod = 'api-key' | 'jwt' | 'keystone' | 'cookie';

/** One change that somebody asked for, as `GET /v1/audit` lists it. */
export interface AuditEntry {
  readonly id: string;
  /** When it was answered, ISO 8601 in UTC. */
  readonly time: string;
  readonly subject: string;
  readonly name?: string;
  readonly method: SignInMethod;
  readonly keyId?: string;
  /** The address of the client. */
  readonly from: string;
  /** The operationId of the API document. */
  readonly operation: string;
  readonly target?: { readonly type: string; readonly id: string };
  /** Of the asker; of the target for operators. */
  readonly projectId: string | null;
  readonly outcome: 'accepted' | 'refused';
  readonly status: number;
  /** Of the problem that was answered. */
  readonly code?: string;
  readonly correlationId: string;
}

/** A change was answered: accepted, or refused. Its id and time are those of the entry. */
export interface ChangeAudited {
  readonly type: 'ChangeAudited';
  readonly data: Omit<AuditEntry, 'id' | 'time'>;
}

/** The stream of all `ChangeAudited`. It is not published. */
export const auditStream = 'audit-changes';

/** Entries that a gateway hands over at once, at most. */
export const AUDIT_BATCH = 500;
