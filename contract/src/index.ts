import * as accounts from './accounts.ts'
import * as alarms from './alarms.ts'
import * as approvals from './approvals.ts'
import * as audit from './audit.ts'
import * as authentication from './authentication.ts'
import * as blockCalls from './block-calls.ts'
import * as bulk from './bulk-action.ts'
import * as catalog from './catalog.ts'
import * as catalogDelete from './catalog-delete.ts'
import * as catalogImport from './catalog-import.ts'
import * as connections from './connections.ts'
import * as documentLibrary from './document-library.ts'
import * as errorWorkflow from './error-workflow.ts'
import * as events from './events.ts'
import * as functions from './functions.ts'
import * as incidents from './incidents.ts'
import * as introspection from './introspection.ts'
import * as items from './items.ts'
import * as keys from './keys.ts'
import * as mail from './mail.ts'
import type { OperationSpec } from './operation.ts'
import * as proxy from './proxy.ts'
import * as replay from './replay.ts'
import * as revisions from './revisions.ts'
import * as runAndWait from './run-and-wait.ts'
import * as runs from './runs.ts'
import * as schedules from './schedules.ts'
import * as search from './search.ts'
import * as sendEvent from './send-event.ts'
import * as sessions from './sessions.ts'
import * as shares from './shares.ts'
import * as statistics from './statistics.ts'
import * as stream from './stream.ts'
import * as tags from './tags.ts'
import * as templates from './templates.ts'
import * as upgrades from './upgrades.ts'
import * as vault from './vault.ts'
import * as webhookOperators from './webhook-operators.ts'
import * as webhooks from './webhooks.ts'
import * as workflowRecords from './workflow-records.ts'
import * as workflowSearch from './workflow-search.ts'
import * as workflows from './workflows.ts'

/** The table of all operations, by name. */
export const operations = {
  Authenticate: authentication.authenticate,
  Roles: authentication.listRoles,
  Organization: authentication.getOrganization,
  GetMetaData: introspection.getMetaData,
  Describe: introspection.describe,
  GetSchema: introspection.getSchema,
  Accounts: accounts.listAccounts,
  AccountsSearch: accounts.searchAccounts,
  ManagedAccounts: accounts.searchManagedAccounts,
  AccountCreate: accounts.createAccount,
  AccountUpdate: accounts.updateAccount,
  ResendActivation: accounts.resendActivation,
  AccountState: accounts.setAccountState,
  ApiKeys: keys.listKeys,
  ApiKeyCreate: keys.createKey,
  ApiKeyUpdate: keys.updateKey,
  DeleteApiKey: keys.deleteKey,
  RevealApiKey: keys.revealKey,
  SignIn: sessions.signIn,
  Session: sessions.getSession,
  SignOut: sessions.signOut,
  AttributeTagAdd: tags.addTag,
  AttributeTagDelete: tags.deleteTag,
  GetAuditLog: audit.getAuditLog,
  Applications: catalog.listApplications,
  ApplicationsSearch: catalog.searchApplications,
  WorkflowTemplates: catalog.listWorkflowTemplates,
  WorkflowTemplatesSearch: catalog.searchWorkflowTemplates,
  WorkflowTemplate: catalog.getWorkflowTemplate,
  WorkflowTemplateVersions: catalog.listWorkflowTemplateVersions,
  BlockTemplates: catalog.listBlockTemplates,
  BlockTemplatesSearch: catalog.searchBlockTemplates,
  BlockTemplate: catalog.getBlockTemplate,
  BlockTemplateVersions: catalog.listBlockTemplateVersions,
  CatalogImport: catalogImport.importCatalog,
  CatalogExport: catalogImport.exportCatalog,
  PublishWorkflowTemplate: catalogImport.publishWorkflowTemplate,
  PublishBlockTemplate: catalogImport.publishBlockTemplate,
  DeleteWorkflowTemplateDraft: catalogImport.deleteWorkflowTemplateDraft,
  DeleteBlockTemplateDraft: catalogImport.deleteBlockTemplateDraft,
  DeleteApplication: catalogDelete.deleteApplication,
  DeleteBlockTemplate: catalogDelete.deleteBlockTemplate,
  DeleteWorkflowTemplate: catalogDelete.deleteWorkflowTemplate,
  DeleteFunction: catalogDelete.deleteFunction,
  GetFunctions: functions.getFunctions,
  RegApplications: connections.listRegApplications,
  RegApplicationsSearch: connections.searchRegApplications,
  RegApplicationCreate: connections.createRegApplication,
  RegApplicationUpdate: connections.updateRegApplication,
  DeleteRegApplication: connections.deleteRegApplication,
  ApiAuth: proxy.apiAuth,
  ApiAppVault: proxy.apiAppVault,
  ApiGet: proxy.apiGet,
  ApiPost: proxy.apiPost,
  ApiSend: proxy.apiSend,
  DocumentLibraryGrant: documentLibrary.grantDocumentLibrary,
  ApiProxyEmail: mail.sendProxyEmail,
  GetOutbox: mail.getOutbox,
  ProxySecureUpload: shares.uploadShare,
  SecureShares: shares.listShares,
  DeleteSecureShare: shares.deleteShare,
  MyVaultSet: vault.setInWorkflow,
  MyVaultGet: vault.getInWorkflow,
  MyVaultRemove: vault.removeInWorkflow,
  MyVaultContains: vault.containsInWorkflow,
  MyVaultSetGlobal: vault.setInAccount,
  MyVaultGetGlobal: vault.getInAccount,
  MyVaultRemoveGlobal: vault.removeInAccount,
  MyVaultContainsGlobal: vault.containsInAccount,
  VaultKeys: vault.listVaultKeys,
  Workflows: workflows.listWorkflows,
  WorkflowsSearch: workflowSearch.searchWorkflows,
  Workflow: workflows.getWorkflow,
  WorkflowCreate: workflows.createWorkflow,
  WorkflowUpdate: workflows.updateWorkflow,
  PushWorkflows: workflows.pushWorkflows,
  BulkAction: bulk.bulkAction,
  WorkflowRevisions: revisions.listRevisions,
  WorkflowDifference: revisions.getWorkflowDifference,
  RestoreRevision: revisions.restoreRevision,
  TemplateUpgradePreview: upgrades.previewTemplateUpgrade,
  TemplateUpgrade: upgrades.startTemplateUpgrade,
  GetTemplateUpgrade: upgrades.getTemplateUpgrade,
  TemplateUpgradeAction: upgrades.actOnTemplateUpgrade,
  TemplateUpgrades: upgrades.listTemplateUpgrades,
  DeployWorkflow: workflows.deployWorkflow,
  ArchiveWorkflow: workflows.archiveWorkflow,
  DeleteWorkflow: workflows.deleteWorkflow,
  WebhookSettings: webhooks.getWebhookSettings,
  WebhookSettingsEnable: webhooks.enableWebhook,
  WebhookSettingsDisable: webhooks.disableWebhook,
  GetWebhookQueue: webhooks.getWebhookQueue,
  GetWebhookHistory: webhooks.getWebhookHistory,
  GetWebhook: webhooks.getWebhook,
  GetSandboxWebhooks: webhooks.getSandboxWebhooks,
  GetSandboxWebhookValue: webhooks.getSandboxWebhookValue,
  WebhookSandboxPin: webhooks.pinSandboxWebhook,
  WebhookSkip: webhookOperators.skipWebhook,
  WebhookRetry: webhookOperators.retryWebhook,
  WebhookQueueHold: webhookOperators.holdWebhookQueue,
  WebhookQueueRelease: webhookOperators.releaseWebhookQueue,
  WebhookRefusals: webhookOperators.webhookRefusals,
  WebhookReplay: webhookOperators.replayWebhooks,
  GetWebhookReplay: webhookOperators.getWebhookReplay,
  RunWorkflow: runs.runWorkflow,
  RunAndWait: runAndWait.runAndWait,
  SendEvent: sendEvent.sendEvent,
  Approvals: approvals.listApprovals,
  ApprovalAction: approvals.approvalAction,
  StopWorkflowRun: runs.stopWorkflowRun,
  RetryRun: runs.retryRun,
  ResumeWorkflow: runs.resumeWorkflow,
  ErrorWorkflow: errorWorkflow.getErrorWorkflow,
  ErrorWorkflowUpdate: errorWorkflow.setErrorWorkflow,
  GetRunHistory: runs.getRunHistory,
  GetBlockResult: runs.getBlockResult,
  GetBlockUserLog: runs.getBlockUserLog,
  GetBlockSession: runs.getBlockSession,
  GetBlockCalls: blockCalls.getBlockCalls,
  GetBlockItems: items.getBlockItems,
  GetBlockItem: items.getBlockItem,
  FailedItems: items.failedItems,
  DismissItems: items.dismissItems,
  RetryItems: items.retryItems,
  TestBlock: blockCalls.testBlock,
  ReplayStart: replay.startReplay,
  Replay: replay.getReplay,
  SearchRuns: search.searchRuns,
  WorkflowScheduler: schedules.workflowScheduler,
  RunStatistics: statistics.runStatistics,
  Overview: statistics.overview,
  Incidents: incidents.incidents,
  Usage: statistics.usage,
  Stream: stream.stream,
  Expectations: alarms.getExpectations,
  ExpectationsUpdate: alarms.setExpectations,
  Alarms: alarms.listAlarms,
  AlarmAction: alarms.alarmAction,
  EventSubscriptions: events.listEventSubscriptions,
  EventSubscriptionCreate: events.createEventSubscription,
  EventSubscriptionUpdate: events.updateEventSubscription,
  DeleteEventSubscription: events.deleteEventSubscription,
  NotificationSettings: events.getNotificationSettings,
  NotificationSettingsUpdate: events.setNotificationSettings,
} as const satisfies Record<string, OperationSpec>

export type Operations = typeof operations
export type OperationName = keyof Operations

/** The record types that Describe and GetSchema know by name. */
export const records = {
  ClientListApiDto: accounts.ClientListApiDto,
  MailListApiDto: mail.MailListApiDto,
  SecureShareListApiDto: shares.SecureShareListApiDto,
  ApplicationListApiDto: catalog.ApplicationListApiDto,
  WorkflowTemplateListApiDto: templates.WorkflowTemplateListApiDto,
  WorkflowTemplateWithDetailsApiDto: templates.WorkflowTemplateWithDetailsApiDto,
  BlockTemplateApiDto: templates.BlockTemplateApiDto,
  RegApplicationListApiDto: connections.RegApplicationListApiDto,
  WorkflowListApiDto: workflowRecords.WorkflowListApiDto,
  WorkflowApiDto: workflowRecords.WorkflowApiDto,
  ChainApiDto: workflowRecords.ChainApiDto,
  WebhookSettingApiDto: webhooks.WebhookSettingApiDto,
} as const

export { type AccountStateName, accountStates, isEmail } from './accounts.ts'
export type { ExpectationKind } from './alarms.ts'
export { commentCharactersMax } from './approvals.ts'
export { type AuditAction, auditActions } from './audit-actions.ts'
export { ForEach, Retry, SubWorkflow, Wait } from './chain-flow.ts'
export {
  blocksMax,
  bulkWorkflowsMax,
  isGuid,
  listSizeMax,
  maskedValue,
  searchPlaces,
  workflowStates,
} from './client-values.ts'
export { ErrorBody, type ErrorCode, errorCatalogue, refusalReasons } from './errors.ts'
export type { EventName, EventScope } from './events.ts'
export { type Feature, features } from './features.ts'
export { timestampPattern } from './ids.ts'
export type { ItemState } from './items.ts'
export { attachmentBytesMax, mailRecipientsMax } from './mail.ts'
export { namedSchemas } from './named-schemas.ts'
export { namePattern } from './names.ts'
export {
  type AnswerOf,
  type BodyOf,
  type NoContent,
  noContent,
  type OperationSpec,
  type ParamsOf,
  type QueryOf,
} from './operation.ts'
export { readPage } from './paging.ts'
export { addressLengthMax, proxyVerbs } from './proxy.ts'
export { refusalsOf } from './refusals-of.ts'
export { type ReplayOutcome, replayOutcomes } from './replay.ts'
export type { RevisionReason } from './revisions.ts'
export { type RoleName, rankOf, roleNames, roles } from './roles.ts'
export { inputBytesMax, type RunSource, type RunStatusName, runOrderFields } from './runs.ts'
export type { SearchPlaceName } from './search.ts'
export { wrongCodesMax } from './shares.ts'
export { type StreamEventName, streamEventNames } from './stream.ts'
export { type EntityType, entityTypes } from './tags.ts'
export {
  type PreviewOutcome,
  previewOutcomes,
  type UpgradeOutcome,
  type UpgradeState,
  upgradeOutcomes,
} from './upgrades.ts'
export { vaultKeyLengthMax, vaultValueBytesMax } from './vault.ts'
export type { WebhookSettingApiDto, WebhookSignature } from './webhooks.ts'
export { replayRunsDefault, type WorkflowStateName } from './workflow-records.ts'
