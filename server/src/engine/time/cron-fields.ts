import { counted } from '../../lib/counted.ts'
import { accept, type Checked, type Problem, refuse } from '../problem.ts'

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
 * Writes a cron expression out as plain lists of numbers, leaving only `*` as it is. What is read is the language that
 * every cron knows: numbers, names of months and days, `*`, lists, ranges and steps. The parser behind knows more
 * (seconds, `@daily`, `L`, `#`, and `H`, which is random) and less (lists that overlap); neither shows.
 */
export function expandCron(cron: string): Checked<string> {
  if (cron.length > cronCharactersMax) {
    return refuse({ message: `The field scheduleFrequency must have at most ${cronCharactersMax} characters.` })
  }
  const texts = cron.split(' ')
  if (texts.length !== cronFields.length) {
    return refuse({
      message: `The field scheduleFrequency must be hourly, daily, weekly, monthly or a cron expression of five fields (minute, hour, day of month, month, day of week); "${cron}" has ${counted(texts.length, 'field')}.`,
    })
  }
  const problems: Problem[] = []
  const expanded = cronFields.map((field, index) => {
    const text = texts[index]!
    if (text === '*' || text === '*/1') return '*'
    const parts = text.split(',').map((part) => expandPart(part, field))
    const why = parts.find((part) => typeof part === 'string')
    if (why) problems.push({ message: `The ${field.name} field "${text}" of scheduleFrequency is not valid: ${why}.` })
    // Sunday may be written 0 or 7.
    const numbers = parts.flat().map((number) => (field.max === 7 && number === 7 ? 0 : Number(number)))
    return [...new Set(numbers)].sort((one, other) => one - other).join(',')
  })
  return problems.length > 0 ? refuse(...problems) : accept(expanded.join(' '))
}

/** The numbers a part of a list stands for, or what is wrong with it. */
function expandPart(part: string, field: CronField): number[] | string {
  const match = /^(?:\*|([a-z]{3}|\d{1,2})(?:-([a-z]{3}|\d{1,2}))?)(?:\/(\d{1,2}))?$/i.exec(part)
  if (!match) return `"${part}" is not a number, a range, a step or *`
  const [, fromText, toText, stepText] = match
  const from = fromText === undefined ? field.min : readNumber(fromText, field)
  const openEnd = fromText === undefined || stepText !== undefined ? lastOf(field) : from
  const to = toText === undefined ? openEnd : readNumber(toText, field)
  if (from === undefined || to === undefined) return `"${part}" is not between ${field.min} and ${field.max}`
  if (from > to) return `the range "${part}" runs backwards`
  const step = stepText === undefined ? 1 : Number(stepText)
  // A step that leaves the field would quietly mean "once": */90 is every hour, not every 90 minutes.
  if (step < 1 || step > field.max - field.min)
    return `the step of "${part}" must be between 1 and ${field.max - field.min}`
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step)
}

/** An open end never reaches the second name of Sunday, else a step could count that day twice. */
function lastOf(field: CronField): number {
  return field.max === 7 ? 6 : field.max
}

function readNumber(text: string, field: CronField): number | undefined {
  const number = /^\d/.test(text) ? Number(text) : (field.names?.indexOf(text.toLowerCase()) ?? -1)
  return number >= field.min && number <= field.max ? number : undefined
}
