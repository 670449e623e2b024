// Made from the contract by build/write-methods.ts; change the contract and run `npm run methods --workspace sdk`.
import type { Method } from './request-parts.ts'

/** One method per operation. */
export type Methods = {
  /**
   * Who is calling, and for which managed account.
   * GET /api/Authenticate
   */
  authenticate: Method<'Authenticate'>
  /**
   * The roles, lowest rank first, with the ids that tags use.
   * GET /api/Roles
   */
  roles: Method<'Roles'>
  /**
   * The organization of the account, with its tags.
   * GET /api/Organization
   */
  organization: Method<'Organization'>
  /**
   * Every endpoint with its parameters, schemas, examples and status codes.
   * GET /api/GetMetaData
   */
  getMetaData: Method<'GetMetaData'>
  /**
   * The fields of a record type.
   * GET /api/Describe
   */
  describe: Method<'Describe'>
  /**
   * The JSON Schema of a record type.
   * GET /api/GetSchema
   */
  getSchema: Method<'GetSchema'>
  /**
   * Every account the caller may manage.
   * Needs the role Manager or higher.
   * GET /api/Accounts
   */
  accounts: Method<'Accounts'>
  /**
   * Search the accounts the caller may manage.
   * Needs the role Manager or higher.
   * POST /api/Accounts
   * @example { body: {"page":0,"size":20,"searchTerm":"anna","accountState":["Active"]} }
   */
  accountsSearch: Method<'AccountsSearch'>
  /**
   * Search the accounts the caller may act for, the caller included.
   * POST /api/ManagedAccounts
   * @example { body: {"page":0,"size":20,"searchTerm":"anna"} }
   */
  managedAccounts: Method<'ManagedAccounts'>
  /**
   * Create an account in the organization of the caller, or of the managed account.
   * POST /api/Account
   * @example { body: {"email":"anna@example.com","firstName":"Anna","lastName":"Berg","roleName":"User"} }
   */
  accountCreate: Method<'AccountCreate'>
  /**
   * Change the name, country, role or permission of an account of the organization. Omitted fields stay unchanged.
   * Needs the role Manager or higher.
   * POST /api/AccountUpdate/:id
   * @example { body: {"roleName":"DevPartner"} }
   */
  accountUpdate: Method<'AccountUpdate'>
  /**
   * E-mail a new activation link to an account that is inActive and that the caller may act for. Older links stop working.
   * POST /api/ResendActivation/:id
   */
  resendActivation: Method<'ResendActivation'>
  /**
   * Activate, lock or archive an account of the organization.
   * Needs the role Manager or higher.
   * POST /api/AccountState/:id
   * @example { body: {"accountState":"Locked"} }
   */
  accountState: Method<'AccountState'>
  /**
   * The key pairs of the account, without their secrets.
   * GET /api/ApiKeys
   */
  apiKeys: Method<'ApiKeys'>
  /**
   * Create a key pair. The secret is shown once.
   * POST /api/ApiKey
   * @example { body: {"label":"nightly export","ipRestriction":["203.0.113.0/24"]} }
   */
  apiKeyCreate: Method<'ApiKeyCreate'>
  /**
   * Change the label, address list or expiry of a key pair.
   * POST /api/ApiKey/:id
   */
  apiKeyUpdate: Method<'ApiKeyUpdate'>
  /**
   * Revoke a key pair; it stops working within one second.
   * GET /api/DeleteApiKey/:id
   */
  deleteApiKey: Method<'DeleteApiKey'>
  /**
   * Read the secret that was generated with an activated account. Works exactly once.
   * GET /api/RevealApiKey/:id
   */
  revealApiKey: Method<'RevealApiKey'>
  /**
   * Sign in with e-mail address and password; sets the session cookie.
   * POST /api/SignIn
   */
  signIn: Method<'SignIn'>
  /**
   * The signed-in account, and the token to send with its requests.
   * GET /api/Session
   */
  session: Method<'Session'>
  /**
   * End the session.
   * POST /api/SignOut
   */
  signOut: Method<'SignOut'>
  /**
   * Attach a tag to an entity.
   * POST /api/AttributeTagAdd/:entityType/:entityId
   * @example { body: {"value":"pilot"} }
   */
  attributeTagAdd: Method<'AttributeTagAdd'>
  /**
   * Remove a tag. Removing a tag that is not there succeeds too.
   * POST /api/AttributeTagDelete/:entityType/:entityId
   * @example { body: {"value":"pilot"} }
   */
  attributeTagDelete: Method<'AttributeTagDelete'>
  /**
   * Who changed what, newest first.
   * Needs the role Manager or higher.
   * POST /api/GetAuditLog
   * @example { body: {"page":0,"size":50} }
   */
  getAuditLog: Method<'GetAuditLog'>
  /**
   * The applications that can be registered, with logo and credential fields; at most 1,000. Search for more.
   * GET /api/Applications
   */
  applications: Method<'Applications'>
  /**
   * Search the applications by name and description.
   * POST /api/Applications
   * @example { body: {"page":0,"size":20,"searchTerm":"shop"} }
   */
  applicationsSearch: Method<'ApplicationsSearch'>
  /**
   * Workflow templates without their scripts: published ones, and the drafts of the organization; at most 1,000. Search for more.
   * GET /api/WorkflowTemplates
   */
  workflowTemplates: Method<'WorkflowTemplates'>
  /**
   * Search the workflow templates by name and description, page by page.
   * POST /api/WorkflowTemplatesSearch
   * @example { body: {"page":0,"size":20,"searchTerm":"orders"} }
   */
  workflowTemplatesSearch: Method<'WorkflowTemplatesSearch'>
  /**
   * A workflow template with its block chain, variables and configuration.
   * GET /api/WorkflowTemplate/:id
   */
  workflowTemplate: Method<'WorkflowTemplate'>
  /**
   * The published versions of the organization's own workflow template, newest first.
   * GET /api/WorkflowTemplateVersions/:id
   */
  workflowTemplateVersions: Method<'WorkflowTemplateVersions'>
  /**
   * Block templates without their scripts: published ones, and the drafts of the organization; at most 1,000. Search for more.
   * GET /api/BlockTemplates
   */
  blockTemplates: Method<'BlockTemplates'>
  /**
   * Search the block templates by name and description, page by page.
   * POST /api/BlockTemplatesSearch
   * @example { body: {"page":0,"size":20,"applicationShortName":"SHOPIFY"} }
   */
  blockTemplatesSearch: Method<'BlockTemplatesSearch'>
  /**
   * A block template with its script, variables and configuration.
   * GET /api/BlockTemplate/:id
   */
  blockTemplate: Method<'BlockTemplate'>
  /**
   * The published versions of the organization's own block template, newest first.
   * GET /api/BlockTemplateVersions/:id
   */
  blockTemplateVersions: Method<'BlockTemplateVersions'>
  /**
   * Add to the organization's own catalogue, from files or from an OpenAPI (3.0 to 3.2) or Swagger 2.0 document. If a file has a problem, nothing is imported unless partial is true.
   * Needs the role DevPartner or higher.
   * POST /api/CatalogImport
   * @example { body: {"files":[{"path":"functions/greet.js","content":"/*---\nid: …\n---*\/\nreturn fx.titleCase(name)"}]} }
   */
  catalogImport: Method<'CatalogImport'>
  /**
   * The organization's own catalogue as files that CatalogImport takes.
   * Needs the role DevPartner or higher.
   * GET /api/CatalogExport
   */
  catalogExport: Method<'CatalogExport'>
  /**
   * Publish the draft as the next version. Returns that version.
   * Needs the role DevPartner or higher.
   * GET /api/PublishWorkflowTemplate/:id
   */
  publishWorkflowTemplate: Method<'PublishWorkflowTemplate'>
  /**
   * Publish the draft as the next version. Returns that version.
   * Needs the role DevPartner or higher.
   * GET /api/PublishBlockTemplate/:id
   */
  publishBlockTemplate: Method<'PublishBlockTemplate'>
  /**
   * Discard the draft. Published versions stay.
   * Needs the role DevPartner or higher.
   * GET /api/DeleteWorkflowTemplateDraft/:id
   */
  deleteWorkflowTemplateDraft: Method<'DeleteWorkflowTemplateDraft'>
  /**
   * Discard the draft. Published versions stay.
   * Needs the role DevPartner or higher.
   * GET /api/DeleteBlockTemplateDraft/:id
   */
  deleteBlockTemplateDraft: Method<'DeleteBlockTemplateDraft'>
  /**
   * Delete an application of the organization, unless a registered application, a workflow that is not archived or another item uses it.
   * Needs the role DevPartner or higher.
   * GET /api/DeleteApplication/:id
   */
  deleteApplication: Method<'DeleteApplication'>
  /**
   * Delete a block template of the organization with its draft and every version, unless a workflow that is not archived or a workflow template uses it.
   * Needs the role DevPartner or higher.
   * GET /api/DeleteBlockTemplate/:id
   */
  deleteBlockTemplate: Method<'DeleteBlockTemplate'>
  /**
   * Delete a workflow template of the organization with its draft and every version, unless a workflow that is not archived was made from it.
   * Needs the role DevPartner or higher.
   * GET /api/DeleteWorkflowTemplate/:id
   */
  deleteWorkflowTemplate: Method<'DeleteWorkflowTemplate'>
  /**
   * Delete a library function of the organization, unless a script of a workflow that is not archived or of another item calls it.
   * Needs the role DevPartner or higher.
   * GET /api/DeleteFunction/:id
   */
  deleteFunction: Method<'DeleteFunction'>
  /**
   * The functions that scripts call as fx.<name>: those of the service and those of the organization.
   * GET /api/GetFunctions
   */
  getFunctions: Method<'GetFunctions'>
  /**
   * The registered applications of the account that are authenticated.
   * GET /api/RegApplications
   */
  regApplications: Method<'RegApplications'>
  /**
   * Search the registered applications of the account, including those that still await authorization.
   * POST /api/RegApplications
   * @example { body: {"page":0,"size":20,"searchTerm":"shop","isFaulted":false} }
   */
  regApplicationsSearch: Method<'RegApplicationsSearch'>
  /**
   * Register an application with its credentials. Returns its id or, when a person must grant access, the authorization URL.
   * POST /api/RegApplication
   * @example { body: {"applicationId":"e31040e1-1997-54d0-bfa6-43f910dc7be6","tagText":"warehouse","credentialsJson":"{\"baseUrl\":\"https://api.example.com/v1\",\"authType\":\"bearer\",\"token\":\"…\"}"} }
   */
  regApplicationCreate: Method<'RegApplicationCreate'>
  /**
   * Change the label or the credentials of a registered application. Returns an empty string, or an authorization URL.
   * POST /api/RegApplication/:id
   * @example { body: {"tagText":"warehouse, north"} }
   */
  regApplicationUpdate: Method<'RegApplicationUpdate'>
  /**
   * Remove a registered application with its credentials, unless a workflow that is not archived uses it.
   * GET /api/DeleteRegApplication/:id
   */
  deleteRegApplication: Method<'DeleteRegApplication'>
  /**
   * The access token or session that the service would use for a registered application.
   * GET /api/ApiAuth
   */
  apiAuth: Method<'ApiAuth'>
  /**
   * The stored values of a registered application; secrets are masked.
   * GET /api/ApiAppVault
   */
  apiAppVault: Method<'ApiAppVault'>
  /**
   * Send a GET request to a registered application. Returns the body of its response: JSON, or text/plain where the target sent text.
   * GET /api/ApiGet
   */
  apiGet: Method<'ApiGet'>
  /**
   * Send JSON to a registered application with POST. Returns the body of its response: JSON, or text/plain where the target sent text.
   * POST /api/ApiPost
   * @example { body: {"jsonData":{"hello":"world"}} }
   */
  apiPost: Method<'ApiPost'>
  /**
   * Send any request to a registered application.
   * POST /api/ApiSend/:shortName
   * @example { body: {"verb":"GET","requestUrl":"orders?since=2025-01-01","responseType":"Json"} }
   */
  apiSend: Method<'ApiSend'>
  /**
   * Give the app of a document-library connector access to one site, through a separate admin app that holds Sites.FullControl.All. The credentials of the admin app are used once and not stored.
   * POST /api/DocumentLibraryGrant
   * @example { body: {"tenantId":"5f7c1d1e-0000-4000-8000-000000000001","adminClientId":"5f7c1d1e-0000-4000-8000-000000000002","adminClientSecret":"<CLIENT_SECRET>","connectorClientId":"5f7c1d1e-0000-4000-8000-000000000003","host":"contoso.sharepoint.com","sitePath":"/sites/team","role":"write"} }
   */
  documentLibraryGrant: Method<'DocumentLibraryGrant'>
  /**
   * Send an e-mail. It is kept in the outbox until a mail server accepts it.
   * POST /api/ApiProxyEmail
   * @example { body: {"subject":"Today's orders","to":["anna@example.com"],"body":"<p>12 orders</p>","bodyIsHtml":true} }
   */
  apiProxyEmail: Method<'ApiProxyEmail'>
  /**
   * The e-mails of the account, newest first; of the whole organization for a Manager who asks for it.
   * POST /api/GetOutbox
   * @example { body: {"page":0,"size":50,"status":["Held"]} }
   */
  getOutbox: Method<'GetOutbox'>
  /**
   * Store files encrypted and e-mail a link to them.
   * POST /api/ProxySecureUpload
   */
  proxySecureUpload: Method<'ProxySecureUpload'>
  /**
   * The secure shares of the account, newest first.
   * GET /api/SecureShares
   */
  secureShares: Method<'SecureShares'>
  /**
   * Revoke a share. Its key is destroyed at once, then its files.
   * GET /api/DeleteSecureShare/:id
   */
  deleteSecureShare: Method<'DeleteSecureShare'>
  /**
   * Store a value, encrypted, that only this workflow sees.
   * POST /api/MyVaultSet/:workflowId/:key
   * @example { body: {"jsonData":{"cursor":42}} }
   */
  myVaultSet: Method<'MyVaultSet'>
  /**
   * Read a value of the workflow.
   * GET /api/MyVaultGet/:workflowId/:key
   */
  myVaultGet: Method<'MyVaultGet'>
  /**
   * Delete a value of the workflow; true when there was one.
   * GET /api/MyVaultRemove/:workflowId/:key
   */
  myVaultRemove: Method<'MyVaultRemove'>
  /**
   * Whether the workflow has a value under this key.
   * GET /api/MyVaultContains/:workflowId/:key
   */
  myVaultContains: Method<'MyVaultContains'>
  /**
   * Store a value, encrypted, that every workflow of the account sees.
   * POST /api/MyVaultSetGlobal/:accountId/:key
   * @example { body: {"jsonData":"shared"} }
   */
  myVaultSetGlobal: Method<'MyVaultSetGlobal'>
  /**
   * Read a value of the account.
   * GET /api/MyVaultGetGlobal/:accountId/:key
   */
  myVaultGetGlobal: Method<'MyVaultGetGlobal'>
  /**
   * Delete a value of the account; true when there was one.
   * GET /api/MyVaultRemoveGlobal/:accountId/:key
   */
  myVaultRemoveGlobal: Method<'MyVaultRemoveGlobal'>
  /**
   * Whether the account has a value under this key.
   * GET /api/MyVaultContainsGlobal/:accountId/:key
   */
  myVaultContainsGlobal: Method<'MyVaultContainsGlobal'>
  /**
   * The keys in the vault of a workflow, or of the account. Values are not shown.
   * POST /api/VaultKeys
   * @example { body: {"page":0,"size":50} }
   */
  vaultKeys: Method<'VaultKeys'>
  /**
   * Every workflow of the account that is in development or deployed.
   * GET /api/Workflows
   */
  workflows: Method<'Workflows'>
  /**
   * Search the workflows of the account, or of all accounts, archived ones included.
   * POST /api/Workflows
   * @example { body: {"page":0,"size":20,"searchTerm":"orders","workflowState":["deployed"],"isScheduled":true} }
   */
  workflowsSearch: Method<'WorkflowsSearch'>
  /**
   * A workflow with its blocks and values: now, as of a run, or in an earlier revision.
   * GET /api/Workflow/:id
   */
  workflow: Method<'Workflow'>
  /**
   * Create a workflow from a template, or a custom one from a chain of blocks.
   * POST /api/Workflow
   * @example { body: {"name":"Hello","variables":{"who":{"value":"world"}},"chain":[{"blockName":"Greet","script":"return { greeting: 'Hello, ' + variables.who }","variables":{"who":{"variableSource":"Workflow","variableName":"who"}}}]} }
   */
  workflowCreate: Method<'WorkflowCreate'>
  /**
   * Change a workflow. Blocks are named by uniqueBlockId; what is not named stays unchanged.
   * POST /api/Workflow/:id
   * @example { body: {"name":"Hello again","variables":{"who":"everyone"}} }
   */
  workflowUpdate: Method<'WorkflowUpdate'>
  /**
   * Create and change many workflows at once: all of them, or none if one is refused or was changed meanwhile.
   * POST /api/PushWorkflows
   * @example { body: {"workflows":[{"workflow":{"name":"Hello","chain":[{"blockName":"Greet","script":"return 'Hello'"}]}}]} }
   */
  pushWorkflows: Method<'PushWorkflows'>
  /**
   * Do the same to many workflows, of all accounts the caller may act for. One that is refused does not stop the others. With dryRun, nothing changes and the response says what would.
   * POST /api/BulkAction
   * @example { body: {"action":"retryFailed","filter":{"acrossAccounts":true,"lastRunStatus":"Error"},"dryRun":true} }
   */
  bulkAction: Method<'BulkAction'>
  /**
   * The revisions of a workflow, newest first. Every saved change of its definition makes one.
   * POST /api/WorkflowRevisions/:workflowId
   * @example { body: {"page":0,"size":20} }
   */
  workflowRevisions: Method<'WorkflowRevisions'>
  /**
   * What changed between two revisions of a workflow.
   * GET /api/WorkflowDifference/:workflowId
   */
  workflowDifference: Method<'WorkflowDifference'>
  /**
   * Make an earlier revision the newest one again. Returns the number of the new revision.
   * POST /api/RestoreRevision/:workflowId
   * @example { body: {"revision":3} }
   */
  restoreRevision: Method<'RestoreRevision'>
  /**
   * What another version of a template would do to each workflow made from it, across all accounts you may act for. Changes nothing.
   * Needs the role DevPartner or higher.
   * POST /api/TemplateUpgradePreview
   * @example { body: {"workflowTemplateId":"019a2f6e-5a3c-7f00-8000-000000000001","page":0,"size":50} }
   */
  templateUpgradePreview: Method<'TemplateUpgradePreview'>
  /**
   * Upgrade workflows to another version of their template, wave by wave. A workflow whose next runs all fail is rolled back automatically.
   * Needs the role DevPartner or higher.
   * POST /api/TemplateUpgrade
   * @example { body: {"workflowTemplateId":"019a2f6e-5a3c-7f00-8000-000000000001","waveSize":5,"waveMinutes":30} }
   */
  templateUpgrade: Method<'TemplateUpgrade'>
  /**
   * Progress of an upgrade. Readable by whoever started it, and by SuperPartner and Manager.
   * Needs the role DevPartner or higher.
   * GET /api/TemplateUpgrade/:id
   */
  getTemplateUpgrade: Method<'GetTemplateUpgrade'>
  /**
   * Pause or resume an upgrade, or roll back every upgraded workflow.
   * Needs the role DevPartner or higher.
   * POST /api/TemplateUpgradeAction/:id
   * @example { body: {"action":"pause"} }
   */
  templateUpgradeAction: Method<'TemplateUpgradeAction'>
  /**
   * Upgrades, newest first: those you started; for SuperPartner and Manager all of the organization.
   * Needs the role DevPartner or higher.
   * POST /api/TemplateUpgrades
   * @example { body: {"page":0,"size":20} }
   */
  templateUpgrades: Method<'TemplateUpgrades'>
  /**
   * Check the workflow and let it run.
   * GET /api/DeployWorkflow/:id
   */
  deployWorkflow: Method<'DeployWorkflow'>
  /**
   * Stop schedule and webhook and hide the workflow; its history stays readable.
   * GET /api/ArchiveWorkflow/:id
   */
  archiveWorkflow: Method<'ArchiveWorkflow'>
  /**
   * Remove the workflow for good, with its history, vault entries, queue and settings.
   * GET /api/DeleteWorkflow/:id
   */
  deleteWorkflow: Method<'DeleteWorkflow'>
  /**
   * Settings of the webhook of a workflow.
   * GET /api/WebhookSettings/:id
   */
  webhookSettings: Method<'WebhookSettings'>
  /**
   * Enable the webhook of a workflow, or change its settings. Omitted fields stay unchanged. The secret is returned the first time only.
   * POST /api/WebhookSettingsEnable/:id
   * @example { body: {"strictOrderProcessing":true,"skipProcessingAfterErrors":3} }
   */
  webhookSettingsEnable: Method<'WebhookSettingsEnable'>
  /**
   * Stop accepting requests. Those already accepted are still processed. With disableWithCleanSettings, the settings are deleted too.
   * POST /api/WebhookSettingsDisable/:id
   */
  webhookSettingsDisable: Method<'WebhookSettingsDisable'>
  /**
   * Requests that wait or are being processed, in the order of the queue.
   * POST /api/GetWebhookQueue/:workflowId
   * @example { body: {"page":0,"size":50} }
   */
  getWebhookQueue: Method<'GetWebhookQueue'>
  /**
   * Requests that left the queue, newest first.
   * POST /api/GetWebhookHistory/:workflowId
   * @example { body: {"page":0,"size":50} }
   */
  getWebhookHistory: Method<'GetWebhookHistory'>
  /**
   * A request as it was received.
   * GET /api/GetWebhook/:webhookId
   */
  getWebhook: Method<'GetWebhook'>
  /**
   * The requests received while the workflow was in development, newest first. The ten newest and the pinned one are kept.
   * GET /api/GetSandboxWebhooks/:id
   */
  getSandboxWebhooks: Method<'GetSandboxWebhooks'>
  /**
   * The payload of the newest request received while the workflow was in development, or of the pinned one.
   * GET /api/GetSandboxWebhookValue/:id
   */
  getSandboxWebhookValue: Method<'GetSandboxWebhookValue'>
  /**
   * Pin the request that GetSandboxWebhookValue returns; null unpins it, so that the newest is returned again.
   * POST /api/WebhookSandboxPin/:id
   */
  webhookSandboxPin: Method<'WebhookSandboxPin'>
  /**
   * Take a waiting request out of the queue, unprocessed. False when it is already being processed.
   * POST /api/WebhookSkip/:webhookId
   */
  webhookSkip: Method<'WebhookSkip'>
  /**
   * Try a failed request again now instead of later. False when it is not waiting for a retry.
   * POST /api/WebhookRetry/:webhookId
   */
  webhookRetry: Method<'WebhookRetry'>
  /**
   * Keep accepting requests, but start none until the queue is released.
   * POST /api/WebhookQueueHold/:workflowId
   */
  webhookQueueHold: Method<'WebhookQueueHold'>
  /**
   * Release a held queue; its requests are processed in order.
   * POST /api/WebhookQueueRelease/:workflowId
   */
  webhookQueueRelease: Method<'WebhookQueueRelease'>
  /**
   * Requests that the webhook refused because of their signature, address, size or format. The newest ten are kept without their bodies; all are counted by hour and reason. A refusal shows within a second or two.
   * POST /api/WebhookRefusals/:workflowId
   * @example { body: {"page":0,"size":10} }
   */
  webhookRefusals: Method<'WebhookRefusals'>
  /**
   * Put past requests back at the end of the queue, oldest first, with their original ids.
   * POST /api/WebhookReplay/:workflowId
   * @example { body: {"searchFrom":"2026-11-01T00:00:00Z","searchTo":"2026-11-02T00:00:00Z","status":["Skipped"]} }
   */
  webhookReplay: Method<'WebhookReplay'>
  /**
   * Progress of a replay.
   * GET /api/GetWebhookReplay/:replayId
   */
  getWebhookReplay: Method<'GetWebhookReplay'>
  /**
   * Start a run of a deployed workflow. The response and its header X-Run-Number give its number.
   * POST /api/RunWorkflow
   * @example { body: {"workflowId":"0198c0de-0000-7000-8000-000000000001"} }
   */
  runWorkflow: Method<'RunWorkflow'>
  /**
   * Start a run of a deployed workflow and wait for its result. If it takes longer than waitSeconds, the response is 202 and the run goes on. A client that disconnects stops nothing.
   * POST /api/RunAndWait/:workflowId
   * @example { body: {"input":{"orderId":1007},"waitSeconds":10} }
   */
  runAndWait: Method<'RunAndWait'>
  /**
   * Wake the runs that wait for an event of this name and key. The event is kept for 7 days for waits that begin later, in runs that started before it or within an hour after it.
   * POST /api/SendEvent
   * @example { body: {"name":"order.paid","key":"1007","data":{"amount":250}} }
   */
  sendEvent: Method<'SendEvent'>
  /**
   * Approvals that runs wait or waited for, newest first.
   * POST /api/Approvals
   * @example { body: {"page":0,"size":50,"isOpen":true} }
   */
  approvals: Method<'Approvals'>
  /**
   * Approve or reject. Each address counts once; after the decision, and for an address that has decided, the approval is returned as it is.
   * POST /api/ApprovalAction/:id
   * @example { body: {"action":"approve","comment":"Looks good."} }
   */
  approvalAction: Method<'ApprovalAction'>
  /**
   * Stop a run. The current block finishes (a sleep ends at once), then the run is Stopped. False when the run had already ended.
   * GET /api/StopWorkflowRun/:workflowId
   */
  stopWorkflowRun: Method<'StopWorkflowRun'>
  /**
   * Retry a failed or stopped run from the block that failed, with the same webhook requests and range. Repeating the call returns the retry that is in progress or has succeeded.
   * GET /api/RetryRun/:workflowId
   */
  retryRun: Method<'RetryRun'>
  /**
   * Resume the automatic runs of a workflow that was paused after repeated failures. Returns whether it was paused. While a connection it needs is faulted, it stays paused.
   * GET /api/ResumeWorkflow/:id
   */
  resumeWorkflow: Method<'ResumeWorkflow'>
  /**
   * The workflow that runs after each run that ended in Error.
   * GET /api/ErrorWorkflow
   */
  errorWorkflow: Method<'ErrorWorkflow'>
  /**
   * Choose the workflow that runs after each run that ended in Error, with the data of the event run.failed as run.input. It never runs for its own failures.
   * POST /api/ErrorWorkflow
   * @example { body: {"scope":"account","workflowId":"0198c0de-0000-7000-8000-000000000001"} }
   */
  errorWorkflowUpdate: Method<'ErrorWorkflowUpdate'>
  /**
   * The runs of a workflow, newest first unless asked otherwise.
   * POST /api/GetRunHistory/:workflowId
   * @example { body: {"page":0,"size":20,"status":"Error"} }
   */
  getRunHistory: Method<'GetRunHistory'>
  /**
   * What a block returned in a run, or why it failed.
   * GET /api/GetBlockResult/:workflowId
   */
  getBlockResult: Method<'GetBlockResult'>
  /**
   * What the script of a block wrote to its console in a run.
   * GET /api/GetBlockUserLog/:workflowId
   */
  getBlockUserLog: Method<'GetBlockUserLog'>
  /**
   * session.vars of a run as they were after a block.
   * GET /api/GetBlockSession/:workflowId
   */
  getBlockSession: Method<'GetBlockSession'>
  /**
   * The calls that a block made to applications in a run. They are listed for an interrupted run too, so you can see what had already been sent.
   * GET /api/GetBlockCalls/:workflowId
   */
  getBlockCalls: Method<'GetBlockCalls'>
  /**
   * The items of a block in a run, by index, and how many there are in each state.
   * POST /api/GetBlockItems/:workflowId
   * @example { body: {"uniqueBlockId":"0198c0de-0000-7000-8000-000000000001","status":"failed","page":0,"size":20} }
   */
  getBlockItems: Method<'GetBlockItems'>
  /**
   * One item of a block in a run, with the item itself and its result.
   * GET /api/GetBlockItem/:workflowId
   */
  getBlockItem: Method<'GetBlockItem'>
  /**
   * Items that failed and are still open, newest first. An item stays here until a retry of it succeeds, it is dismissed, or 90 days have passed, however long its run is kept.
   * POST /api/FailedItems
   * @example { body: {"page":0,"size":50} }
   */
  failedItems: Method<'FailedItems'>
  /**
   * Close failed items that need no retry. Returns how many were closed.
   * POST /api/DismissItems
   * @example { body: {"workflowId":"0198c0de-0000-7000-8000-000000000001","runNumber":7,"uniqueBlockId":"0198c0de-0000-7000-8000-000000000002","keys":["4711"],"comment":"Entered by hand."} }
   */
  dismissItems: Method<'DismissItems'>
  /**
   * Retry failed items of a run that ended well, as they were or edited: a new run takes exactly those items through their block and what follows it. Blocks before keep their results. A run that ended in Error is retried by RetryRun.
   * POST /api/RetryItems/:workflowId
   * @example { body: {"runNumber":7,"uniqueBlockId":"0198c0de-0000-7000-8000-000000000002","keys":["4711"]} }
   */
  retryItems: Method<'RetryItems'>
  /**
   * Run one script with given inputs, without a workflow and without leaving a run behind. Calls to applications go to real registered ones where `applications` names them, else they get the recorded responses. Vault and mail are not touched. With `allItems` the script runs once for each item.
   * POST /api/TestBlock
   * @example { body: {"script":"const orders = await api.get('TEST/orders')\nreturn orders.length","recordedAnswers":[{"url":"TEST/orders","data":[{"id":1}]}]} }
   */
  testBlock: Method<'TestBlock'>
  /**
   * Run recorded runs again, against the newest revision, an earlier one, or changes that are not saved. No call leaves the service, nothing is written, no e-mail is sent.
   * POST /api/Replay/:id
   * @example { body: {"lastRuns":10,"changes":{"variables":{"who":"everyone"}}} }
   */
  replayStart: Method<'ReplayStart'>
  /**
   * Progress and findings of a replay. Kept for a day.
   * GET /api/Replay/:id
   */
  replay: Method<'Replay'>
  /**
   * Find words in webhook payloads, block results, logs, errors and outbound calls, newest first. Words are matched whole and without regard to case. Masked secrets and values that a script took from the vault are not indexed: no search finds them, even where a result contains them.
   * POST /api/SearchRuns
   * @example { body: {"searchTerm":"4711","in":["webhook","result"],"page":0,"size":20} }
   */
  searchRuns: Method<'SearchRuns'>
  /**
   * Schedule a deployed workflow, or stop its schedule.
   * POST /api/WorkflowScheduler
   * @example { body: {"workflowId":"0198c0de-0000-7000-8000-000000000001","isScheduled":true,"scheduleFrequency":"*\/15 * * * *"} }
   */
  workflowScheduler: Method<'WorkflowScheduler'>
  /**
   * Count runs and webhook requests over time. Runs count when they end; Debug runs do not count. Empty buckets are included.
   * POST /api/RunStatistics
   * @example { body: {"searchFrom":"2026-03-01T00:00:00Z","searchTo":"2026-04-01T00:00:00Z","bucket":"day","timeZone":"Europe/Oslo"} }
   */
  runStatistics: Method<'RunStatistics'>
  /**
   * What exists, what waits, and what needs attention.
   * POST /api/Overview
   * @example { body: {} }
   */
  overview: Method<'Overview'>
  /**
   * What needs attention, grouped by cause: the same error in several workflows or accounts is one incident. Computed from what Overview lists.
   * POST /api/Incidents
   * @example { body: {"acrossAccounts":true,"page":0,"size":20} }
   */
  incidents: Method<'Incidents'>
  /**
   * What accounts used, per day or month in UTC. Days and months without any use are left out. With ?format=csv the response is a CSV file.
   * POST /api/Usage
   * @example { body: {"searchFrom":"2026-03-01T00:00:00Z","searchTo":"2026-04-01T00:00:00Z","bucket":"month","acrossAccounts":true} }
   */
  usage: Method<'Usage'>
  /**
   * What is expected of a workflow.
   * GET /api/Expectations/:workflowId
   */
  expectations: Method<'Expectations'>
  /**
   * Set what is expected of a workflow, replacing earlier expectations. One that is not met raises an alarm, with an e-mail and an event. A result that is not an array counts as one item, null as none.
   * POST /api/Expectations/:workflowId
   * @example { body: {"expectations":[{"kind":"succeedsWithin","hours":26}]} }
   */
  expectationsUpdate: Method<'ExpectationsUpdate'>
  /**
   * Alarms, newest first.
   * POST /api/Alarms
   * @example { body: {"page":0,"size":50,"isOpen":true} }
   */
  alarms: Method<'Alarms'>
  /**
   * Acknowledge an alarm (it stays open) or dismiss it (it closes, and is raised again only after the expectation has been met again).
   * POST /api/AlarmAction/:id
   */
  alarmAction: Method<'AlarmAction'>
  /**
   * The addresses that receive events of the account, or of the accounts it manages.
   * GET /api/EventSubscriptions
   */
  eventSubscriptions: Method<'EventSubscriptions'>
  /**
   * Send events to an address as {type, timestamp, data}, signed according to Standard Webhooks (webhook-id, webhook-timestamp, webhook-signature). The secret is shown once.
   * POST /api/EventSubscriptions
   * @example { body: {"url":"https://example.com/patchbay-events","events":["run.failed"]} }
   */
  eventSubscriptionCreate: Method<'EventSubscriptionCreate'>
  /**
   * Change the address or the events of a subscription, or switch it on or off.
   * POST /api/EventSubscription/:id
   */
  eventSubscriptionUpdate: Method<'EventSubscriptionUpdate'>
  /**
   * Delete a subscription. No more events are sent to its address.
   * GET /api/DeleteEventSubscription/:id
   */
  deleteEventSubscription: Method<'DeleteEventSubscription'>
  /**
   * Which e-mails the account gets about its own workflows and connections, or about those of the accounts it manages.
   * GET /api/NotificationSettings
   */
  notificationSettings: Method<'NotificationSettings'>
  /**
   * Choose which e-mails the account gets. E-mails about managed accounts are off by default.
   * POST /api/NotificationSettings
   * @example { body: {"scope":"managed","failureMail":true} }
   */
  notificationSettingsUpdate: Method<'NotificationSettingsUpdate'>
}
