// From times to lanes. A lane has up to three kinds of stretches: waiting for its turn, the script itself, and the calls it made.
export type Stretch = { kind: 'waiting' | 'script' | 'call'; fromMs: number; toMs: number; label: string }
export type Lane = { id: string; name: string; status: string; durationMs: number | undefined; stretches: Stretch[] }

export type TimedBlock = {
  uniqueBlockId: string
  blockName: string
  dataSources: readonly string[]
  status?: string | undefined
  startDateTimeUTC?: string | null | undefined
  endDateTimeUTC?: string | null | undefined
}
export type TimedCall = { method: string; url: string; startDateTimeUTC: string; durationInMilliSec: number | null }

/** Milliseconds count from the start of the run. A block whose result was taken over from an earlier run has no stretch of its own. */
export function lanesOf(
  blocks: readonly TimedBlock[],
  callsByBlock: ReadonlyMap<string, readonly TimedCall[]>,
  run: { startMs: number; endMs: number },
): Lane[] {
  const since = (iso: string) => Math.max(0, Date.parse(iso) - run.startMs)
  const ends = new Map(
    blocks
      .filter((block) => block.endDateTimeUTC)
      .map((block) => [block.uniqueBlockId, since(block.endDateTimeUTC as string)]),
  )
  return blocks.map((block) => {
    const isOfThisRun = block.startDateTimeUTC && Date.parse(block.startDateTimeUTC) >= run.startMs - 1
    const base = { id: block.uniqueBlockId, name: block.blockName, status: block.status ?? 'Pending' }
    if (!isOfThisRun) return { ...base, durationMs: undefined, stretches: [] }
    const fromMs = since(block.startDateTimeUTC as string)
    const toMs = block.endDateTimeUTC ? since(block.endDateTimeUTC) : run.endMs - run.startMs
    const readyMs = Math.max(0, ...block.dataSources.map((source) => ends.get(source) ?? 0))
    const calls = (callsByBlock.get(block.uniqueBlockId) ?? []).map((call): Stretch => {
      const start = since(call.startDateTimeUTC)
      return {
        kind: 'call',
        fromMs: start,
        toMs: start + (call.durationInMilliSec ?? 0),
        label: `${call.method} ${call.url}`,
      }
    })
    const waiting: Stretch[] =
      fromMs - readyMs >= 1 ? [{ kind: 'waiting', fromMs: readyMs, toMs: fromMs, label: 'Waiting' }] : []
    const script: Stretch = { kind: 'script', fromMs, toMs: Math.max(toMs, fromMs), label: 'Script' }
    return { ...base, durationMs: toMs - fromMs, stretches: [...waiting, script, ...calls] }
  })
}

/** Round steps for the axis: at most six. */
export function axisTicks(totalMs: number): number[] {
  const raw = Math.max(totalMs, 1) / 5
  const power = 10 ** Math.floor(Math.log10(raw))
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= raw) ?? 10) * power
  return Array.from({ length: Math.floor(totalMs / step) + 1 }, (_, index) => index * step)
}
