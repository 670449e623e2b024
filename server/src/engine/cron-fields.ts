import type { Problem } from './problem.ts'

type CronField = {
  readonly name: string
  readonly min: number
  readonly max: number
  readonly names?: readonly string[]
}

const cronFields: readonly CronField[] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of month', min: 1, max: 31 },
  {
    name: 'month',
    min: 1,
    max: 12,
    names: ['', 'jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  { name: 'day of week', min: 0, max: 7, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
]

/** Longer than any sensible schedule, short enough to be quoted in an answer. */
const cronCharactersMax = 200

/**
 * Checks the plain language of cron: numbers, names of months and days, `*`, lists, ranges and steps. The parser
 * behind accepts more (seconds, `@daily`, `L`, `#`, and `H`, which is random); none of that is promised here.
 */
export function findCronProblem(cron: string): Problem | undefined {
  if (cron.length > cronCharactersMax) {
    return { message: `scheduleFrequency must not be longer than ${cronCharactersMax} characters.` }
  }
  const fields = cron.split(' ')
  if (fields.length !== cronFields.length) {
    return {
      message: `scheduleFrequency must be hourly, daily, weekly, monthly or a cron expression of five fields (minute, hour, day of month, month, day of week); "${cron}" has ${fields.length === 1 ? '1 field' : `${fields.length} fields`}.`,
    }
  }
  for (const [index, field] of cronFields.entries()) {
    const text = fields[index]!
    const why = text
      .split(',')
      .map((part) => findPartProblem(part, field))
      .find((problem) => problem !== undefined)
    if (why) return { message: `The ${field.name} field "${text}" of scheduleFrequency is not valid: ${why}.` }
  }
  return undefined
}

function findPartProblem(part: string, field: CronField): string | undefined {
  const match = /^(?:\*|([a-z]{3}|\d{1,2})(?:-([a-z]{3}|\d{1,2}))?)(?:\/(\d{1,2}))?$/i.exec(part)
  if (!match) return `"${part}" is not a number, a range, a step or *`
  const [from, to] = [match[1], match[2]].map((text) => readNumber(text, field))
  if (from === null || to === null) return `"${part}" is not in ${field.min} to ${field.max}`
  if (from !== undefined && to !== undefined && from > to) return `the range "${part}" runs backwards`
  const step = match[3] === undefined ? 1 : Number(match[3])
  // A step that leaves the field would quietly mean "once": */90 is every hour, not every 90 minutes.
  if (step < 1 || step > field.max - field.min) return `the step of "${part}" must be in 1 to ${field.max - field.min}`
  return undefined
}

/** Null for what the field does not have, undefined where nothing is written. */
function readNumber(text: string | undefined, field: CronField): number | null | undefined {
  if (text === undefined) return undefined
  const number = /^\d/.test(text) ? Number(text) : (field.names?.indexOf(text.toLowerCase()) ?? -1)
  return number >= field.min && number <= field.max ? number : null
}
