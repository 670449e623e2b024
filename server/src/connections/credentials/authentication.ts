// How an application proves who calls: which way was chosen, and what it puts on a request.
import {
  type Application,
  expandText,
  fieldsIn,
  type PlainAuthentication,
  type TemplateValues,
  type TokenAuthentication,
} from '../application.ts'
import { invalidCredentials } from './read-credentials.ts'

export type AppliedAuthentication = { headers?: Record<string, string>; query?: Record<string, string> }

type DirectAuthentication = Extract<PlainAuthentication, { type: 'basic' | 'apiKey' | 'bearer' }>

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

export function chooseAuthentication(application: Application, values: TemplateValues): PlainAuthentication {
  const { authentication } = application
  if (authentication.type !== 'byField') return authentication
  const option = String(values[authentication.field] ?? '')
  const chosen = Object.hasOwn(authentication.choices, option) ? authentication.choices[option] : undefined
  // A select field without a value and without a default chooses nothing.
  return chosen ?? { type: 'none' }
}

/** Calls carry something that must first be obtained and ends after a while. */
export function needsToken(authentication: PlainAuthentication): authentication is TokenAuthentication {
  return (
    authentication.type === 'oauth2AuthorizationCode' ||
    authentication.type === 'oauth2ClientCredentials' ||
    authentication.type === 'session'
  )
}

/** Optional fields may be needed by the way that was chosen: an empty one would fail at every call, so it is said now. */
export function checkAuthentication(authentication: PlainAuthentication, values: TemplateValues): void {
  const need = (template: string) => {
    if (expandText(template, values) !== '') return
    throw invalidCredentials(
      `The field ${fieldsIn(template)[0] ?? template} in credentialsJson is required for this authentication.`,
    )
  }
  const how = authentication
  if (how.type === 'basic') need(how.username)
  if (how.type === 'bearer') need(how.token)
  if (how.type === 'oauth2AuthorizationCode' || how.type === 'oauth2ClientCredentials') need(how.clientId)
  if (how.type !== 'apiKey') return
  need(how.name)
  need(how.value)
  if (how.in === 'header' && !headerName.test(expandText(how.name, values))) {
    throw invalidCredentials(
      `The field ${fieldsIn(how.name)[0] ?? how.name} in credentialsJson must be the name of a header.`,
    )
  }
}

export function applyAuthentication(
  authentication: PlainAuthentication,
  values: TemplateValues,
  token: string | undefined,
): AppliedAuthentication {
  if (authentication.type === 'none') return {}
  if (!needsToken(authentication)) return applyDirect(authentication, values)
  const apply: DirectAuthentication = authentication.apply ?? { type: 'bearer', token: '{$token}' }
  return applyDirect(apply, { ...values, $token: token })
}

function applyDirect(how: DirectAuthentication, values: TemplateValues): AppliedAuthentication {
  switch (how.type) {
    case 'basic': {
      const pair = `${expandText(how.username, values)}:${expandText(how.password, values)}`
      return { headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` } }
    }
    case 'bearer':
      return { headers: { authorization: `Bearer ${expandText(how.token, values)}` } }
    case 'apiKey': {
      const pair = { [expandText(how.name, values)]: expandText(how.value, values) }
      return how.in === 'header' ? { headers: pair } : { query: pair }
    }
  }
}
