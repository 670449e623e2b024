import type { Masker } from './mask.ts'

export type ScriptLog = { lines: string[]; add(lines: readonly string[], isCut: boolean): void }

/** Collects what a script writes, without secrets and up to a limit; a last line says when something is missing. */
export function createScriptLog(masker: Masker, bytesMax: number): ScriptLog {
  const lines: string[] = []
  let bytes = 0
  let isFull = false
  const close = (): void => {
    isFull = true
    lines.push(`(The log is cut here: it is longer than ${bytesMax} bytes.)`)
  }
  const add = (added: readonly string[], isCut: boolean): void => {
    for (const [index, raw] of added.entries()) {
      if (isFull) return
      const isCutLine = isCut && index === added.length - 1
      const line = isCutLine ? masker.cutText(raw) : masker.text(raw)
      const size = Buffer.byteLength(line) + 1
      if (bytes + size <= bytesMax) {
        lines.push(line)
        bytes += size
        if (isCutLine) close()
        continue
      }
      const part = cutBytes(line, bytesMax - bytes)
      if (part !== '') lines.push(part)
      close()
    }
  }
  return { lines, add }
}

function cutBytes(text: string, bytes: number): string {
  // A character cut in two decodes to the replacement character, which is dropped.
  return Buffer.from(text)
    .subarray(0, bytes)
    .toString('utf8')
    .replace(/\uFFFD$/, '')
}
