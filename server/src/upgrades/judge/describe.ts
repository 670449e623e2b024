import type { Judgement } from './judge.ts'

const sentencesMax = 10

/** Of a workflow that is left alone because a recorded run would fail. */
export function describeBroken({ runNumber, message }: { runNumber: number; message: string }): string {
  return `Run ${runNumber} was Ready, but its replay with the new version fails: ${message}`
}

/** One message about a workflow; null when there is nothing to say. */
export function describeJudgement({ outcome, conflicts, problems, notes }: Judgement): string | null {
  const about = conflicts.map(
    ({ field, blockName }) => `Both sides changed the field ${field} of block "${blockName}".`,
  )
  const sentences = outcome === 'clean' ? notes : [...about, ...problems.map(({ message }) => message)]
  if (outcome === 'upToDate') return 'The workflow already follows this version or a newer one.'
  if (sentences.length === 0) return null
  const shown = sentences.slice(0, sentencesMax)
  const others = sentences.length - shown.length
  return [...shown, ...(others > 0 ? [`And ${others} more.`] : [])].join(' ')
}
