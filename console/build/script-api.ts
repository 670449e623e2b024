// `sdk/script-api.d.ts` is the one place that says what a block script sees. The editor reads it as data: a list of names with their
// signatures and sentences, made while building. The file keeps to a plain form so that a line reader understands it: a comment, then a
// declaration on one line; namespaces and objects open and close on lines of their own.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

export type ScriptName = {
  name: string
  kind: 'function' | 'variable' | 'namespace'
  signature: string
  description: string
}

const source = fileURLToPath(new URL('../../sdk/script-api.d.ts', import.meta.url))
const wanted = 'virtual:script-api'

export function scriptApi(): Plugin {
  return {
    name: 'script-api',
    resolveId: (id) => (id === wanted ? `\0${wanted}` : undefined),
    load(id) {
      if (id !== `\0${wanted}`) return undefined
      this.addWatchFile(source)
      return `export const scriptNames = ${JSON.stringify(readScriptNames(readFileSync(source, 'utf8')))}`
    },
  }
}

export function readScriptNames(text: string): ScriptName[] {
  const names: ScriptName[] = []
  const path: string[] = []
  let comment = ''
  for (const line of text.split('\n')) {
    const commented = /^\s*\/\*\*\s*(.*?)\s*\*\/$/.exec(line)
    if (commented) {
      comment = commented[1] as string
      continue
    }
    const opened = /^\s*(?:declare )?(?:namespace|const) (\w+):? \{$/.exec(line)
    const declared = /^\s*(?:declare )?(?:export )?(function|const|let|readonly) (\w+)(.*?);?$/.exec(line)
    if (opened) {
      path.push(opened[1] as string)
      names.push({ name: path.join('.'), kind: 'namespace', signature: path.join('.'), description: comment })
    } else if (declared) {
      const [, word, name, rest] = declared as unknown as [string, string, string, string]
      const kind = word === 'function' ? 'function' : 'variable'
      names.push({ name: [...path, name].join('.'), kind, signature: name + rest, description: comment })
    } else if (/^\s*\}$/.test(line) && path.length > 0) {
      path.pop()
    }
    comment = ''
  }
  return names
}
