// The fields of the upload form. They may come before, between and after the files, so what is wrong is told as early as it can be known.
import { operations } from '@patchbay/contract'
import { type Static, Type } from 'typebox'
import { validator } from '../http/index.ts'
import { invalid } from '../lib/app-error.ts'

const schema = operations.ProxySecureUpload.body
const check = validator(schema, 'form')
const checkSoFar = validator(Type.Partial(schema), 'form')

export type UploadFields = Omit<Static<typeof schema>, 'files'>

export class UploadForm {
  readonly #given = new Map<string, string>()

  add(name: string, value: string): void {
    if (name === 'files') throw invalid('The field files must hold files: a part of it has no file name.')
    if (!Object.hasOwn(schema.properties, name)) throw invalid(`Unknown field "${name}".`)
    if (this.#given.has(name)) throw invalid(`The field ${name} appears twice.`)
    this.#given.set(name, value)
  }

  /** Throws when something that was given already is wrong. */
  checkSoFar(): void {
    checkSoFar(this.#filled())
  }

  /** The whole form, with the names of the files that came with it. */
  read(fileNames: string[]): UploadFields {
    return check({ ...this.#filled(), ...(fileNames.length > 0 ? { files: fileNames } : {}) }) as UploadFields
  }

  /** Forms send fields that were not filled in as empty. */
  #filled(): Record<string, unknown> {
    return Object.fromEntries([...this.#given].filter(([, value]) => value.trim() !== ''))
  }
}
