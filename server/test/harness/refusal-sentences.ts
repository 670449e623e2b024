// The sentences with which the service refuses, as its sources have them.
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export type RefusalSentence = {
  /** File and line. */
  at: string
  code: string
  /** The fixed text between the values that are filled in. */
  parts: readonly string[]
}

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Those that are written out where they are thrown; others are put together elsewhere. */
export function listRefusalSentences(): RefusalSentence[] {
  return globSync('server/src/**/*.ts', { cwd: root }).flatMap((file) => {
    const text = readFileSync(root + file, 'utf8')
    const thrown = [
      ...text.matchAll(/new AppError\(\s*'(\w+)',|(?<!function )\b(?:invalid|invalidCredentials|notPublishable)\(/g),
    ]
    return thrown.flatMap((found) => {
      const parts = readLiteral(text, found.index + found[0].length)
      const line = text.slice(0, found.index).split('\n').length
      return parts ? [{ at: `${file}:${line}`, code: found[1] ?? 'invalid_request', parts }] : []
    })
  })
}

/** The fixed parts of the string or template that begins there; undefined where there is none. */
function readLiteral(text: string, start: number): string[] | undefined {
  let at = start + (/^\s*/.exec(text.slice(start))?.[0].length ?? 0)
  const quote = text[at] ?? ''
  if (!['"', "'", '`'].includes(quote)) return undefined
  const parts: string[] = []
  let part = ''
  for (at++; text[at] !== quote; at++) {
    if (quote === '`' && text.startsWith('${', at)) {
      at = endOfValue(text, at + 1)
      parts.push(part)
      part = ''
    } else {
      if (text[at] === '\\') at++
      part += text[at]
    }
  }
  return [...parts, part]
}

function endOfValue(text: string, start: number): number {
  let depth = 0
  for (let at = start; ; at++) {
    if (text[at] === '{') depth++
    if (text[at] === '}') depth--
    if (depth === 0) return at
  }
}

export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_-]+/gu) ?? []
}

/** Every text of the tests, as words with a space between them. */
export function wordsOfTests(except: string): string {
  const files = globSync(['{server,cli,sdk,mcp}/test/**/*.ts', 'e2e/**/*.ts'], {
    cwd: root,
    exclude: ['**/node_modules/**', except],
  })
  return files.map((file) => ` ${wordsOf(readFileSync(root + file, 'utf8')).join(' ')} `).join('\n')
}
