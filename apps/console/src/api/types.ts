import type { components } from '@stave/client';

export type Schemas = components['schemas'];
export type Cluster = Schemas['Cluster'];
export type NodeGroup = Schemas['NodeGroup'];
export type Node = Schemas['Node'];
export type Container = Schemas['Container'];
export type Operation = Schemas['Operation'];
export type Step = Schemas['OperationStep'];
export type Conductor = Schemas['Conductor'];
export type StaveEvent = Schemas['EventPage']['items'][number];

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
  readonly total?: number;
}
export type ContainerSet = Schemas['ContainerSet'];
export type ContainerProfile = Schemas['ContainerProfile'];
export type Explanation = Schemas['Explanation'];
export type Policy = Schemas['Policy'];
export type AttachedPolicy = Schemas['AttachedPolicy'];
export type PoliciesOfTarget = Schemas['PoliciesOfTarget'];
export type SetAutoscalingNow = Schemas['ContainerSetAutoscaling'];
export type GroupAutoscalingNow = Schemas['NodeGroupAutoscalingNow'];
export type Backtest = Schemas['Backtest'];
export type Machine = Schemas['Machine'];
export type ClusterTemplate = Schemas['ClusterTemplate'];
export type NodeGroupTemplate = Schemas['NodeGroupTemplate'];
export type Project = Schemas['Project'];
export type ProjectMember = Schemas['ProjectMember'];
export type ProjectQuotas = Schemas['ProjectQuotas'];
export type ApiKey = Schemas['ApiKey'];
export type AuditEntry = Schemas['AuditEntry'];
export type WhoAmI = Schemas['WhoAmI'];
export type Driver = Schemas['Driver'];
export type Ring = Schemas['Ring'];
export type RingLookup = Schemas['RingLookup'];
