// credentialsJson -> values. Every complaint names the field; none repeats a value.
import { maskedValue } from '@patchbay/contract'
import { AppError } from '../../lib/app-error.ts'
import type { Application, CredentialField, TemplateValues } from '../application.ts'

export type CredentialValues = Readonly<Record<string, string | number | boolean>>

const textLengthMax = 20_000

/** `stored`: what an update starts from. Fields that it does not name, and secrets that come back masked, stay as they are. */
export function readCredentials(
  application: Application,
  credentialsJson: string | undefined,
  stored: CredentialValues = {},
): CredentialValues {
  const given = keepStored(application, parseObject(credentialsJson ?? '{}'), stored)
  const declared = new Map(application.credentialFields.map((field) => [field.ShortName, field]))
  for (const name of Object.keys(given)) {
    if (!declared.has(name)) {
      throw invalidCredentials(
        `The field ${name} in credentialsJson is not a credential field of ${application.shortName}. Known fields: ${[...declared.keys()].join(', ') || 'none'}.`,
      )
    }
  }
  const values: [string, string | number | boolean][] = []
  for (const field of application.credentialFields) {
    const value = Object.hasOwn(given, field.ShortName) ? given[field.ShortName] : undefined
    // A list of names mapped to null is what GET Applications offers as a form to fill in.
    if (value === undefined || value === null || value === '') {
      if (field.Required) throw invalidCredentials(`The field ${field.ShortName} in credentialsJson is required.`)
    } else {
      values.push([field.ShortName, readValue(field, value)])
    }
  }
  return Object.fromEntries(values)
}

/** Secrets that an update with this text leaves as they are stored. */
export function listKeptSecrets(application: Application, credentialsJson: string, stored: CredentialValues): string[] {
  const given = parseObject(credentialsJson)
  return application.credentialFields
    .filter(({ ShortName: name, Type }) => Type === 'password' && Object.hasOwn(stored, name))
    .map(({ ShortName: name }) => name)
    .filter((name) => !Object.hasOwn(given, name) || given[name] === maskedValue)
}

function keepStored(application: Application, given: Record<string, unknown>, stored: CredentialValues) {
  const named = { ...given }
  for (const { ShortName: name, Type } of application.credentialFields) {
    const isMasked = Type === 'password' && Object.hasOwn(given, name) && given[name] === maskedValue
    if (Object.hasOwn(given, name) && !isMasked) continue
    if (Object.hasOwn(stored, name)) named[name] = stored[name]
    else if (isMasked)
      throw invalidCredentials(
        `The field ${name} in credentialsJson is ${maskedValue}, but nothing is stored for it. Give the secret itself.`,
      )
  }
  return named
}

/** With the defaults of the application for what was left empty. */
export function withDefaults(application: Application, values: CredentialValues): TemplateValues {
  return Object.fromEntries(
    application.credentialFields.map((field) => [field.ShortName, values[field.ShortName] ?? field.Default]),
  )
}

function parseObject(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidCredentials('The field credentialsJson must be a JSON object in a string.')
  }
  return value as Record<string, unknown>
}

function readValue(field: CredentialField, value: unknown): string | number | boolean {
  const fault = (what: string) => invalidCredentials(`The field ${field.ShortName} in credentialsJson must be ${what}.`)
  switch (field.Type) {
    case 'number':
      if (typeof value !== 'number') throw fault('a number')
      return value
    case 'boolean':
      if (typeof value !== 'boolean') throw fault('a boolean')
      return value
    default:
      if (typeof value !== 'string') throw fault('a string')
      if (value.length > textLengthMax) throw fault(`at most ${textLengthMax} characters long`)
      if (field.Type === 'select') {
        const option = field.Options?.find((known) => known.toLowerCase() === value.toLowerCase())
        if (option === undefined) throw fault(`one of ${(field.Options ?? []).join(', ')}`)
        return option
      }
      if (field.Type === 'url' && !isWebAddress(value)) {
        throw fault('an address that starts with http:// or https:// and holds no user name')
      }
      return value
  }
}

function isWebAddress(text: string): boolean {
  const url = URL.parse(text.trim())
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}

export function invalidCredentials(message: string): AppError {
  return new AppError('credentials_invalid', message)
}
