export * from './events/upcasting-event-store.js';
export * from './reconcile/reconcile-queue.js';
export * from './events/feed.js';
export * from './resources/find-resource.js';
export * from './snapshots/code-fingerprint.js';
export * from './snapshots/snapshot-fields.js';
export * from './snapshots/snapshot-file.js';
export * from './work/health-reports.js';
export * from './history/history-moment.js';
export * from './history/history-names.js';
export * from './history/history-context.js';
export * from './read-models/list-cursor.js';
export * from './read-models/list-items.js';
export * from './read-models/list-query.js';
export * from './resources/list-references.js';
export * from './read-models/listed-document.js';
export * from './composition/messaging-transport.js';
export * from './resources/names.js';
export * from './resources/new-events.js';
export * from './node-group-sources/node-group-sources.js';
export * from './operations/operation-tracker.js';
export * from './plans/dry-run-handler.js';
export * from './plans/plan-descriptions.js';
export * from './plans/plan-compression.js';
export { admissionOf, valuesOf, type AppendAdmission } from './plans/append-admission.js';
export { idSequence } from './plans/request-values.js';
export * from './read-models/projector.js';
export * from './read-models/read-model.js';
export * from './resources/refused-references.js';
export * from './composition/reply.filter.js';
export * from './resources/request-ledger.js';
export * from './resources/resource-commands.js';
export { causedBy } from './resources/resource-entry.js';
export * from './resources/resource-model.js';
export * from './ring/ring-follower.js';
export * from './ring/ring-registration.js';
export * from './composition/service-runtime.js';
export * from './read-models/document-decorator.js';
export * from './work/task-board.js';
export * from './work/task-source.js';
export * from './resources/access.js';
export * from './work/health.controller.js';
export * from './history/history.controller.js';
export type { HistoryKind } from './history/history-queries.js';
export * from './operations/operation.controller.js';
export * from './read-models/read-model.controller.js';
export * from './read-models/queries.js';
export * from './work/task.controller.js';
export * from './composition/host-service.js';
export * from './driver-catalog/driver-offer.js';
export {
  serviceConfig,
  serviceConfigOf,
  ServiceEnvironment,
  type PortsSettings,
  type ServiceConfig,
} from './composition/service.environment.js';
export { openPorts, type OpenedPorts } from './composition/open-ports.js';
export { runService, type ProcessHandle } from './composition/run-service.js';
export { bodyProblems, validationFailed } from './validation/request-validator.js';
export { queryProblems } from './validation/field-problems.js';
export { beyondJsonLimits } from './validation/json-limits.js';
export { createAjv, SchemaCompiler } from './validation/schema-compiler.js';
