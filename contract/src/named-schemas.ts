// Schemas with a name of their own in OpenAPI, so that generated clients get one type for each. Records, bodies and answers are named besides.
import { AccountPage, AccountSearch, AccountState } from './accounts.ts'
import { Expectation, Expectations } from './alarms.ts'
import { AuditEntry } from './audit.ts'
import { AuthenticatedAccount } from './authentication.ts'
import { BlockCall, TestedCall } from './block-calls.ts'
import { CredentialField, TemplateSearch } from './catalog.ts'
import { CatalogFile } from './catalog-import.ts'
import { EventSubscription } from './events.ts'
import { EndpointMetaData } from './introspection.ts'
import { KeyPair } from './keys.ts'
import { BlockChange, FieldChange, WorkflowRevision } from './revisions.ts'
import { Role } from './roles.ts'
import { RunHistoryItem, RunStatus } from './runs.ts'
import { FoundItem, Place } from './search.ts'
import { Session } from './sessions.ts'
import { BlockTemplateListApiDto, TemplateBlock, Variable } from './templates.ts'
import { WebhookReplay } from './webhook-operators.ts'
import { WebhookHistoryItem, WebhookQueueItem, WebhookSignature } from './webhooks.ts'
import { VariableBinding, WorkflowState, WorkflowVariable } from './workflow-records.ts'
import { ChainElement, WorkflowInput } from './workflows.ts'

export const namedSchemas = {
  AccountPage,
  AccountSearch,
  AccountState,
  AuditEntry,
  AuthenticatedAccount,
  BlockCall,
  BlockChange,
  BlockTemplateListApiDto,
  CatalogFile,
  ChainElement,
  CredentialField,
  EndpointMetaData,
  EventSubscription,
  Expectation,
  Expectations,
  FieldChange,
  FoundRun: FoundItem,
  KeyPair,
  Role,
  RunHistoryItem,
  RunStatus,
  SearchPlace: Place,
  Session,
  TemplateBlock,
  TemplateSearch,
  TemplateVariable: Variable,
  TestedCall,
  VariableBinding,
  WebhookHistoryItem,
  WebhookQueueItem,
  WebhookReplayProgress: WebhookReplay,
  WebhookSignature,
  WorkflowContent: WorkflowInput,
  WorkflowRevision,
  WorkflowState,
  WorkflowVariable,
} as const
