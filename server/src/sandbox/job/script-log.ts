import type { LearningMasker, Masker } from '../mask/mask.ts'

export type ScriptLog = {
  add(lines: readonly string[], isCut: boolean): void
  /** What was written so far, without secrets. */
  readonly lines: string[]
}

/** Lines of one script; more say nothing that these do not. */
const LINES_MAX = 20_000

/**
 * Collects what a script writes, up to a limit; a last line says when something is missing. Secrets are hidden when the log is read and not as it is
 * written: all of it in one pass, with all that the script has shown to be secret by then.
 */
export function createScriptLog(masker: LearningMasker, bytesMax: number): ScriptLog {
  const lines: string[] = []
  let hidden = 0
  let bytes = 0
  let isLastCut = false
  let notice: string | undefined
  const hide = (): void => {
    hideInLines(masker, lines, hidden, isLastCut)
    hidden = lines.length
  }
  masker.onForget(hide)
  const add = (added: readonly string[], isCut: boolean): void => {
    for (const [index, line] of added.entries()) {
      if (notice !== undefined) return
      if (lines.length === LINES_MAX) {
        notice = `(The log is cut off here: it has more than ${LINES_MAX} lines.)`
        return
      }
      const size = Buffer.byteLength(line) + 1
      isLastCut = (isCut && index === added.length - 1) || bytes + size > bytesMax
      if (isLastCut) notice = `(The log is cut off here: it is longer than ${bytesMax} bytes.)`
      // Some more than the limit is kept until secrets are hidden: one may lie across it.
      lines.push(line)
      bytes += size
    }
  }
  return {
    add,
    get lines() {
      hide()
      return notice === undefined ? lines : cutLines(lines, bytesMax, notice)
    },
  }
}

function hideInLines(masker: Masker, lines: string[], from: number, isLastCut: boolean): void {
  for (let index = from; index < lines.length; index++) {
    const line = lines[index] as string
    lines[index] = isLastCut && index === lines.length - 1 ? masker.cutText(line) : masker.text(line)
  }
}

function cutLines(lines: readonly string[], bytesMax: number, notice: string): string[] {
  const kept: string[] = []
  let left = bytesMax
  for (const line of lines) {
    const size = Buffer.byteLength(line) + 1
    const part = size <= left ? line : cutBytes(line, left)
    if (part !== '' || size <= left) kept.push(part)
    left -= size
    if (left <= 0) break
  }
  return [...kept, notice]
}

function cutBytes(text: string, bytes: number): string {
  // A character cut in two decodes to the replacement character, which is dropped.
  return Buffer.from(text)
    .subarray(0, bytes)
    .toString('utf8')
    .replace(/\uFFFD$/, '')
}
