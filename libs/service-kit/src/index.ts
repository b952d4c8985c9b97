export { ask } from './composition/ask.js';
export { askService } from './composition/ask-service.js';
export { connectMessaging, onNats } from './composition/open-ports.js';
export {
  EVENT_STORE,
  LOGGER,
  MESSAGING,
  SERVICE_OPTIONS,
  STORED_EVENTS,
  type ServiceOptions,
  type ServicePorts,
} from './composition/ports.js';
export { ReplyWithPosition } from './composition/reply.filter.js';
export { runProcess, type ProcessHandle, type RunningProcess } from './composition/run-process.js';
export { STOP_MARGIN_MS, stopWithin, type StopStep } from './composition/stop-steps.js';
export { runService, startService, type RunningService } from './composition/run-service.js';
export { ServiceKitModule } from './composition/service-kit.module.js';
export {
  release,
  ServiceEnvironment,
  serviceConfig,
  serviceConfigOf,
  type ServiceConfig,
} from './composition/service.environment.js';
export { Feed } from './events/feed.js';
export { installationId } from './events/installation.js';
export { UnknownEvents } from './events/known-events.js';
export { NewerEvents } from './events/newer-events.js';
export { UpcastingEventStore } from './events/upcasting-event-store.js';
export { HookCalls } from './hooks/hook-calls.js';
export { hookSettings, withHooks } from './hooks/hook.environment.js';
export { HOOK_HOSTS, isHookAllowed, requireAllowedHook } from './hooks/hook-hosts.js';
export { HooksModule, type HookOptions } from './hooks/hooks.module.js';
export {
  historyContext,
  HistoryFeed,
  replay,
  type EventFeed,
  type HistoryContext,
  type StreamRef,
} from './history/history-context.js';
export { isTime } from './history/history-moment.js';
export { partsOf } from './history/passing-parts.js';
export { groupOnceNamed } from './history/history-names.js';
export { NodeGroupSources, type NodeGroupFrom } from './node-group-sources/node-group-sources.js';
export type { OperationStepStatus } from './operations/operation-step.js';
export type { OperationRecord } from './operations/operation-tracker.js';
export { PolicyProjection } from './policies/policy.projection.js';
export { admissionOf, valuesOf, type AppendAdmission } from './plans/append-admission.js';
export { decompressPlan } from './plans/plan-compression.js';
export type { Outlook, PlannedEffect, PlannedResource } from './plans/plan-descriptions.js';
export { idSequence } from './plans/request-values.js';
export { DocumentDecorator } from './read-models/document-decorator.js';
export { keyedPage } from './read-models/keyed-page.js';
export { badCursor, decodeCursor, encodeCursor, listKey } from './read-models/list-cursor.js';
export { listItems } from './read-models/list-query.js';
export { LABEL_PAIRS, NAME_KEY } from './read-models/listed-document.js';
export type { ReadModelStatus } from './read-models/read-model.js';
export { LeaderTasks, type LeaderTask } from './reconcile/leader-tasks.js';
export {
  actorOf,
  DEFAULT_PROJECT,
  mayTouch,
  projectOf,
  requestContext,
  requireCountOrChange,
  unknownAction,
} from './resources/access.js';
export { ClosedProjects } from './resources/closed-projects.js';
export { defineResource, type DefinedResource } from './resources/define-resource.js';
export { finderOf, findResource, NameIndex, type Finder, type Named, type Search } from './resources/find-resource.js';
export { KEPT, KEPT_RULE, keptMs } from './composition/kept-time.js';
export { retention, type Retention } from './resources/ended-streams.js';
export { CHANGE_ABANDONED, CREATION_ABANDONED, Names, nameTaken, type NameOwner } from './resources/names.js';
export {
  conductorActor,
  newEvents,
  operationContext,
  AUTOSCALER,
  RECONCILER,
  serviceActor,
  type EventContext,
} from './resources/new-events.js';
export {
  modelsOf,
  ownStreamProjection,
  type OwnStreamProjection,
  type Projection,
  type ProjectionClass,
  type ResourceChanged,
} from './resources/projection.js';
export { isWrongReference, RefusedReferences, referredAt } from './resources/refused-references.js';
export { KEY_KEPT_MS, RequestLedger, type AcceptedRequest, type RequestIds } from './resources/request-ledger.js';
export {
  operatingManifest,
  requireAllowedDriver,
  requireCapability,
  requireDriver,
  requireVersion,
} from './resources/required-driver.js';
export { PerKeyQueue } from './resources/per-key-queue.js';
export { ProjectIdentities, type ProjectIdentity } from './resources/project-identities.js';
export { ProjectNames } from './resources/project-names.js';
export { ResourceCommands, type CommandReply, type ResourceScope } from './resources/resource-commands.js';
export { isQuotaExceeded, ProjectQuotas } from './quotas/project-quotas.js';
export { ProjectUsage } from './quotas/project-usage.js';
export { QuotaProjection } from './quotas/quota.projection.js';
export { documentOf } from './resources/resource-definition.js';
export { causedBy } from './resources/resource-entry.js';
export type { AppendGuard } from './resources/append-guard.js';
export { abandonChange } from './resources/abandoned-changes.js';
export { ResourceModel } from './resources/resource-model.js';
export type { Entry } from './resources/resource-entry.js';
export { ResourceRegistry } from './resources/resource-registry.js';
export { GroupProof } from './ring/group-proof.js';
export { conductorGroupOf } from './ring/node-conductor-group.js';
export { RingFollower } from './ring/ring-follower.js';
export { RingRegistration, type RingUser } from './ring/ring-registration.js';
export { foldingCode } from './snapshots/code-fingerprint.js';
export { ServiceSnapshots } from './snapshots/service-snapshots.js';
export type { Folded } from './snapshots/snapshot-fields.js';
export { SnapshotFile, type FoldingService, type ServiceFolds } from './snapshots/snapshot-file.js';
export { latestTime } from './time-marks/latest-time.js';
export { LocalTimeMarks } from './time-marks/local-time-marks.js';
export { LogMarker } from './time-marks/log-marker.js';
export { StoredTimeMarks } from './time-marks/stored-time-marks.js';
export type { TimeMarkStore } from './time-marks/time-mark-store.js';
export { CommandLoad } from './work/command-load.js';
export { queryProblems } from './validation/field-problems.js';
export { escapedMember, lineProblems } from './validation/json-limits.js';
export { clusterOptionProblems, groupOptionProblems } from './validation/option-problems.js';
export { bodyProblems, validationFailed } from './validation/request-validator.js';
export { createAjv } from './validation/create-ajv.js';
export { followSamples } from './telemetry/proven-samples.js';
export { SampledNode, SampledNodes } from './telemetry/sampled-nodes.js';
export { HeldVolumes, holdsVolumes } from './volumes/held-volumes.js';
export { UsageSeries, type UsageWindow } from './telemetry/usage-series.js';
export { UsageSums, type SummedWindow, type Unit as SummedUnit } from './telemetry/usage-sums.js';
export type { HealthSource } from './work/health-reports.js';
export { callConductor } from './work/call-conductor.js';
export type { ClassifyUnit, GroupsOfUnit } from './work/orphan-log.js';
export { NamedFlavors, unknownFlavor, type FlavorAnswers } from './work/named-flavors.js';
export type { TaskRouting, TaskSource } from './work/task-source.js';
