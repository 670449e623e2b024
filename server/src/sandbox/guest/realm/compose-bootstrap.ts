import { CALLS_AT_ONCE, SLEEPS_AT_ONCE } from '../../protocol.ts'
import { type BootstrapSettings, bootstrap } from './bootstrap.ts'
import { exposeNamesOf } from './expose-names.ts'
import { makeCallTexts } from './make-call-texts.ts'
import { makeCalls } from './make-calls.ts'
import { makeClock } from './make-clock.ts'
import { makeEnds } from './make-ends.ts'
import { makeLog } from './make-log.ts'
import { provideNames } from './provide-names.ts'
import { takeBuiltins } from './take-builtins.ts'
import { watchAdded } from './watch-added.ts'
import { watchRealm } from './watch-realm.ts'
import { watchReplaced } from './watch-replaced.ts'

/** The bootstrap and its parts as the text of one script, which leaves its function under the given name. */
export function composeBootstrap(ownName: string): string {
  const settings: BootstrapSettings = { ownName, atOnce: { calls: CALLS_AT_ONCE, sleeps: SLEEPS_AT_ONCE } }
  const asObject = (functions: { [name: string]: { toString(): string } }): string =>
    `{ ${Object.entries(functions).map(([name, text]) => `${name}: ${text.toString()}`)} }`
  const watch = `(${watchRealm.toString()})(${asObject({ watchAdded, watchReplaced })})`
  const parts = {
    takeBuiltins,
    makeLog,
    makeCallTexts,
    makeCalls,
    makeClock,
    makeEnds,
    provideNames,
    exposeNamesOf,
    watchRealm: watch,
  }
  return `'use strict'; globalThis.${ownName} = (${bootstrap.toString()})(${asObject(parts)}, ${JSON.stringify(settings)})`
}
