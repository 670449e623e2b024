// What connections need to know of the catalogue.
import type { ApplicationDefinition, Authentication } from '../catalog/index.ts'
import type { Queryable } from '../db/index.ts'

export {
  answerTestRequest,
  type CredentialField,
  expandAddress,
  expandHostPattern,
  expandRequestPath,
  expandText,
  fieldsIn,
  matchesHost,
  type TemplateValues,
} from '../catalog/index.ts'

export type Application = ApplicationDefinition

export type ApplicationFinder = {
  findApplication(organizationId: string, idOrShortName: string): Promise<Application | undefined>
  /** Keeps it from being deleted until the transaction ends; false when it is gone. */
  holdApplication(tx: Queryable, organizationId: string, id: string): Promise<boolean>
}

/** One way of proving who calls; an application that offers several has chosen by then. */
export type PlainAuthentication = Exclude<Authentication, { type: 'byField' }>
export type OAuthAuthentication = Extract<
  PlainAuthentication,
  { type: 'oauth2AuthorizationCode' | 'oauth2ClientCredentials' }
>
export type TokenAuthentication = Extract<
  PlainAuthentication,
  { type: 'oauth2AuthorizationCode' | 'oauth2ClientCredentials' | 'session' }
>
