// What connections need to know of the catalogue.
import type { Application, Authentication } from '../catalog/definition.ts'

export {
  expandAddress,
  expandHostPattern,
  expandRequestPath,
  expandText,
  fieldsIn,
  matchesHost,
  type TemplateValues,
} from '../catalog/address-template.ts'
export type { Application, CredentialField } from '../catalog/definition.ts'
export { answerTestRequest } from '../catalog/test-application.ts'

export type ApplicationFinder = {
  findApplication(organizationId: string, idOrShortName: string): Promise<Application | undefined>
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
