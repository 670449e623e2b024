// The closed catalogue of refusals. A code is what the program says to itself; the status and the sentence are what a client sees.
import { Type } from 'typebox'

export const errorCatalogue = {
  invalid_request: 400,
  email_taken: 400,
  role_not_permitted: 400,
  user_cannot_create_accounts: 400,
  activation_not_permitted: 400,
  account_state_not_permitted: 400,
  entity_type_unknown: 400,
  tagged_entity_not_found: 400,
  workflow_invalid: 400,
  workflow_not_deployable: 400,
  workflow_not_deployed: 400,
  workflow_archived: 400,
  webhook_not_configured: 400,
  webhook_not_proven: 401,
  webhook_address_not_allowed: 403,
  applications_missing: 400,
  blocks_invalid: 400,
  run_not_failed: 400,
  catalog_invalid: 400,
  draft_not_publishable: 400,
  storage_full: 400,
  sign_in_failed: 401,
  password_too_weak: 400,
  cannot_be_stored: 400,
  keys_missing: 401,
  keys_invalid: 401,
  address_not_allowed: 401,
  session_invalid: 401,
  role_too_low: 403,
  managed_account_unreachable: 403,
  credentials_invalid: 400,
  credentials_refused: 400,
  registered_application_in_use: 400,
  application_ambiguous: 400,
  application_not_authenticated: 400,
  connection_faulted: 400,
  host_not_allowed: 400,
  target_refused: 400,
  target_unreachable: 400,
  not_found: 404,
  route_not_found: 404,
  method_not_allowed: 405,
  body_too_large: 413,
  too_many_requests: 429,
  internal: 500,
  not_ready: 503,
} as const satisfies Record<string, number>

export type ErrorCode = keyof typeof errorCatalogue

export const ErrorBody = Type.Object(
  {
    code: Type.Integer({ description: 'The HTTP status.' }),
    errorMessage: Type.String({ description: 'A sentence that says what is wrong and with which field.' }),
    response: Type.Unknown({
      description: "Null, except where a call to a registered application failed: then the target's answer.",
    }),
  },
  { $id: 'Error', description: 'Every refusal has this body.' },
)
