// What every call with the same credentials carries. It is worked out once for a connection that was opened, not at each call.
import { expandText, fieldsIn } from '../application.ts'
import { applyAuthentication } from '../credentials/authentication.ts'
import { secretValues } from '../credentials/mask-secrets.ts'
import type { Callable } from '../credentials/opened-connection.ts'

export type CallParts = {
  /** Headers of the application that are no secret; calls to hosts that must not see its credentials carry them too. */
  plainHeaders: Readonly<Record<string, string>>
  secretHeaders: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>> | undefined
  /** Every value that must not be seen in a log. */
  secrets: readonly string[]
}

type Remembered = { token: string | undefined; parts: CallParts }

const remembered = new WeakMap<Callable, Remembered>()

export function callParts(to: Callable, token: string | undefined): CallParts {
  const known = remembered.get(to)
  if (known !== undefined && known.token === token) return known.parts
  const { application, authentication, values } = to
  const applied = applyAuthentication(authentication, values, token)
  const own = splitHeaders(to)
  const parts: CallParts = {
    plainHeaders: own.plain,
    secretHeaders: { ...own.secret, ...applied.headers },
    query: queryOf(to, applied.query),
    secrets: secretValues(application, values, token === undefined ? [] : [token]),
  }
  remembered.set(to, { token, parts })
  return parts
}

function queryOf({ application, values }: Callable, applied: Record<string, string> | undefined) {
  if (application.query === undefined) return applied
  const own = Object.entries(application.query).map(([name, template]) => [name, expandText(template, values)] as const)
  return { ...Object.fromEntries(own.filter(([, value]) => value !== '')), ...applied }
}

/** Headers of the application that hold a secret are credentials like any other. */
function splitHeaders({ application, values }: Callable): {
  plain: Record<string, string>
  secret: Record<string, string>
} {
  const passwords = new Set(
    application.credentialFields.filter((field) => field.Type === 'password').map((field) => field.ShortName),
  )
  const plain: Record<string, string> = {}
  const secret: Record<string, string> = {}
  for (const [name, template] of Object.entries(application.headers ?? {})) {
    const value = expandText(template, values)
    if (value === '') continue
    const holder = fieldsIn(template).some((field) => passwords.has(field)) ? secret : plain
    holder[name.toLowerCase()] = value
  }
  return { plain, secret }
}
