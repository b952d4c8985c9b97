/** What was left on the infrastructure, explicitly, when somebody forced its deletion. */
export interface AbandonedResource {
  readonly type: 'cluster' | 'node';
  readonly id: string;
  readonly name: string;
  /** Why it could not be removed. */
  readonly reason: string;
}
