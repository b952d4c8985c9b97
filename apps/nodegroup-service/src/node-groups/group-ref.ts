/** A node group as a request names it: by id or name, where `clusterId` is given in that cluster. */
export interface GroupRef {
  readonly id: string;
  readonly clusterId?: string;
}
