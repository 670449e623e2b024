import type { Json } from '../../lib/json.ts'
import { PatternFinder } from '../../lib/pattern-finder.ts'

export const MASK = '***'

/** Shorter values would turn ordinary text into asterisks and prove nothing. */
const CHARACTERS_MIN = 4

export type Masker = {
  text(text: string): string
  /** For text that was cut at an unknown place: its end may hold the beginning of a secret. */
  cutText(text: string): string
  value(value: Json): Json
}

/**
 * Hides secrets in all forms in which scripts usually carry them: as they are, inside JSON text, in a URL, in base64. Forms that overlap are hidden
 * as one, so that a secret that contains another, or begins in another, leaves nothing behind.
 */
export function createMasker(secrets: readonly string[]): Masker {
  const forms = listForms(secrets)
  if (forms.size === 0) return { text: (text) => text, cutText: (text) => text, value: (value) => value }
  // Made when it is needed: most scripts write nothing in which a secret could be.
  let finder: PatternFinder | undefined
  const hideIn = (text: string, isCut: boolean): string => {
    if (!isCut && hasNone(forms, text)) return text
    finder ??= new PatternFinder([...forms])
    return hide(finder, text, isCut)
  }
  const text = (input: string): string => hideIn(input, false)
  const value = (input: Json): Json => {
    if (typeof input === 'string') return text(input)
    if (typeof input === 'number') return forms.has(String(input)) ? MASK : input
    if (Array.isArray(input)) return input.map(value)
    if (input === null || typeof input !== 'object') return input
    return Object.fromEntries(Object.entries(input).map(([key, member]) => [text(key), value(member)]))
  }
  return { text, cutText: (input) => hideIn(input, true), value }
}

export function listForms(secrets: readonly string[]): Set<string> {
  const forms = new Set<string>()
  for (const secret of secrets) {
    if (secret.length < CHARACTERS_MIN) continue
    forms.add(secret)
    forms.add(JSON.stringify(secret).slice(1, -1))
    forms.add(encodeURIComponent(secret.toWellFormed()))
    const base64 = Buffer.from(secret, 'utf8').toString('base64')
    forms.add(base64)
    forms.add(base64.replace(/=+$/, ''))
  }
  for (const form of forms) if (form.length < CHARACTERS_MIN) forms.delete(form)
  return forms
}

/** For a few short forms the search of the engine is quicker than making an automaton. */
const FEW_FORMS = 40
const SHORT_TEXT = 4096

function hasNone(forms: ReadonlySet<string>, text: string): boolean {
  if (forms.size > FEW_FORMS || text.length > SHORT_TEXT) return false
  for (const form of forms) if (text.includes(form)) return false
  return true
}

function hide(finder: PatternFinder, text: string, isCut: boolean): string {
  const starts: number[] = []
  const ends: number[] = []
  let state = finder.start
  for (let at = 0; at < text.length; at++) {
    state = finder.next(state, text.charCodeAt(at))
    const length = finder.foundLength(state)
    if (length === 0) continue
    let start = at + 1 - length
    while (ends.length > 0 && start < (ends.at(-1) as number)) {
      start = Math.min(start, starts.pop() as number)
      ends.pop()
    }
    starts.push(start)
    ends.push(at + 1)
  }
  const open = isCut ? finder.openLength(state) : 0
  // A secret that is there as a whole is hidden and need not be cut off.
  const end = open > finder.foundLength(state) ? text.length - open : text.length
  if (starts.length === 0) return end === text.length ? text : text.slice(0, end)
  let hidden = ''
  let from = 0
  for (let index = 0; index < starts.length && (starts[index] as number) < end; index++) {
    hidden += text.slice(from, starts[index]) + MASK
    from = ends[index] as number
  }
  return hidden + text.slice(from, Math.max(from, end))
}

/** Texts of one value from the vault; a table of thousands that is kept there is data and no secret, and so is a text as long as a document. */
const CONCEALED_MAX = 200
const CONCEALED_CHARACTERS_MAX = 16_384
/** How many parts of one value are looked at for texts. */
const LOOKED_AT_MAX = 100_000
/** Of all that a script read and wrote, the latest: so many texts, and so many characters in all. */
const LEARNT_MAX = 2000
const LEARNT_CHARACTERS_MAX = 64 * 1024

/** A masker that learns while the script runs. What it learns is hidden in text for people (log, errors), and not in results, which are data. */
export type LearningMasker = Masker & {
  conceal(value: Json): void
  /** The same for a value that the script took from the vault. */
  concealTaken(value: Json): void
  /** Texts that were taken from the vault, as far as they are remembered. */
  listTaken(): string[]
  /** What it hides in text for people. */
  listSecrets(): string[]
  /** Called before it forgets what it learnt first: the last moment to hide that. */
  onForget(tell: () => void): void
}

export function createLearningMasker(secrets: readonly string[]): LearningMasker {
  const known = createMasker(secrets)
  const learnt = new Set<string>()
  const taken = new Set<string>()
  let characters = 0
  let beforeForgetting = (): void => {}
  // Made anew when something was learnt since: once for all that a script wrote, as a rule.
  let current: Masker | undefined = known
  const people = (): Masker => {
    current ??= createMasker([...secrets, ...learnt])
    return current
  }
  const remove = (text: string): void => {
    if (learnt.delete(text)) characters -= text.length
    taken.delete(text)
  }
  const learn = (text: string): void => {
    remove(text)
    learnt.add(text)
    characters += text.length
    current = undefined
    if (learnt.size <= LEARNT_MAX && characters <= LEARNT_CHARACTERS_MAX) return
    beforeForgetting()
    current = undefined
    // Half of it at once, so that this is rare.
    for (const oldest of learnt) {
      if (learnt.size <= LEARNT_MAX / 2 && characters <= LEARNT_CHARACTERS_MAX / 2) break
      remove(oldest)
    }
  }
  return {
    text: (text) => people().text(text),
    cutText: (text) => people().cutText(text),
    value: (value) => known.value(value),
    conceal: (value) => {
      for (const text of listSecretTexts(value)) {
        const wasTaken = taken.has(text)
        learn(text)
        if (wasTaken) taken.add(text)
      }
    },
    concealTaken: (value) => {
      for (const text of listSecretTexts(value)) {
        learn(text)
        taken.add(text)
      }
    },
    listTaken: () => [...taken],
    listSecrets: () => [...secrets, ...learnt],
    onForget: (tell) => {
      beforeForgetting = tell
    },
  }
}

function listSecretTexts(value: Json): string[] {
  return listTexts(value).filter((text) => text.length >= CHARACTERS_MIN && text.length <= CONCEALED_CHARACTERS_MAX)
}

function listTexts(value: Json): string[] {
  const texts: string[] = []
  const waiting: Json[] = [value]
  for (let at = 0; at < waiting.length && texts.length < CONCEALED_MAX && at < LOOKED_AT_MAX; at++) {
    const next = waiting[at] as Json
    if (typeof next === 'string') texts.push(next)
    // One by one: a call takes only so many arguments.
    else if (typeof next === 'object' && next !== null) for (const member of Object.values(next)) waiting.push(member)
  }
  return texts
}
