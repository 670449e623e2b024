import type { Checked, Problem } from '../../engine/problem.ts'
import { AppError } from '../../lib/app-error.ts'
import { counted } from '../../lib/counted.ts'

const sentencesMax = 30

type RefusalCode = 'workflow_invalid' | 'workflow_not_deployable'

/** All problems in one answer; a caller that repeats one mistake five hundred times reads it often enough. */
export function refuseFor(code: RefusalCode, problems: readonly Problem[]): void {
  if (problems.length === 0) return
  const sentences = [...new Set(problems.map((problem) => problem.message))]
  const shown = sentences.slice(0, sentencesMax)
  const others = sentences.length - shown.length
  if (others > 0) shown.push(`${others === 1 ? 'There is' : 'There are'} ${counted(others, 'more problem')}.`)
  throw new AppError(code, shown.join(' '))
}

/** The value, or undefined with its problems added to the list. */
export function collect<Value>(problems: Problem[], checked: Checked<Value>): Value | undefined {
  if (checked.ok) return checked.value
  problems.push(...checked.problems)
  return undefined
}
