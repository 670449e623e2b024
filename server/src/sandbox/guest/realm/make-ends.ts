import type { RealmLog } from './make-log.ts'
import type { RealmState } from './provide-names.ts'
import type { Builtins, Host } from './take-builtins.ts'

export type RealmEnds = { finishReturned(result: unknown): void; finishThrown(error: unknown): void }

/** Tells the host how the script ended. Its text is compiled inside the isolate. */
export function makeEnds(builtins: Builtins, host: Host, format: RealmLog['format'], state: RealmState): RealmEnds {
  const { stringify, cut, StringOfRealm } = builtins
  const responseCharactersMax = 262_144

  /** As JSON text inside JSON text; null when it is none, or too long. */
  const boundedText = (read: () => unknown, charactersMax: number): string => {
    try {
      const text = stringify(read())
      return typeof text === 'string' && text.length <= charactersMax ? stringify(text) : 'null'
    } catch {
      return 'null'
    }
  }
  const finishThrown = (error: unknown): void => {
    let response = 'null'
    let name = ''
    let message = ''
    let stack = ''
    try {
      if (typeof error === 'object' && error !== null) {
        const fields = error as { name?: unknown; message?: unknown; stack?: unknown; response?: unknown }
        const answer = fields.response
        if (typeof answer === 'object' && answer !== null) response = boundedText(() => answer, responseCharactersMax)
        const given = { name: fields.name, message: fields.message, stack: fields.stack }
        if (typeof given.name === 'string') name = cut(given.name, 200)
        if (typeof given.stack === 'string') stack = cut(given.stack, 8192)
        message = cut(typeof given.message === 'string' ? given.message : format(error), 65_536)
      } else message = cut(format(error), 65_536)
    } catch {
      message = 'The script threw a value that cannot be described.'
    }
    const texts = `"name":${stringify(name)},"message":${stringify(message)},"stack":${stringify(stack)}`
    host.finish(
      `{"kind":"threw",${texts},"vars":${boundedText(() => state.session.vars, host.resultBytesMax)},"response":${response}}`,
    )
  }

  /** The value as JSON text inside JSON text; null when it has none, and then the job is finished already. */
  const finishedText = (what: string, read: () => unknown): string | null => {
    let text: string | undefined
    let reason = 'it is a function or a symbol'
    try {
      const value = read()
      text = value === undefined ? 'null' : stringify(value)
    } catch (error) {
      try {
        reason = cut(StringOfRealm((error as Error).message), 1000)
      } catch {
        reason = 'reading it threw an error'
      }
    }
    if (typeof text !== 'string') {
      host.finish(`{"kind":"notJson","what":${stringify(what)},"message":${stringify(reason)}}`)
      return null
    }
    if (text.length > host.resultBytesMax) {
      host.finish(`{"kind":"tooLarge","what":${stringify(what)},"bytes":${text.length}}`)
      return null
    }
    return stringify(text)
  }

  const finishReturned = (result: unknown): void => {
    const { session } = state
    const value = finishedText('The result', () => result)
    if (value === null) return
    const vars = finishedText('session.vars', () => session.vars)
    if (vars === null) return
    const vault = finishedText('session.vault', () => session.vault)
    if (vault === null) return
    const vaultGlobal = finishedText('session.vaultGlobal', () => session.vaultGlobal)
    if (vaultGlobal === null) return
    host.finish(
      `{"kind":"returned","value":${value},"vars":${vars},"vault":${vault},"vaultGlobal":${vaultGlobal},"stop":${state.stop}}`,
    )
  }

  return { finishReturned, finishThrown }
}
