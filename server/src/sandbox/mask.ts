import type { Json } from './protocol.ts'

const MASK = '***'

/** Shorter values would turn ordinary text into asterisks and prove nothing. */
const CHARACTERS_MIN = 4

export type Masker = {
  text(text: string): string
  /** For text that was cut at an unknown place: its end may hold the beginning of a secret. */
  cutText(text: string): string
  value(value: Json): Json
}

/**
 * Hides secrets in all forms in which scripts usually carry them: as they are, inside JSON text, in a URL, in base64.
 * Longer forms go first, so that a secret that contains another leaves nothing behind.
 */
export function createMasker(secrets: readonly string[]): Masker {
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
  const ordered = [...forms].filter((form) => form.length >= CHARACTERS_MIN).sort((a, b) => b.length - a.length)
  if (ordered.length === 0) return { text: (text) => text, cutText: (text) => text, value: (value) => value }

  const text = (input: string): string => {
    let masked = input
    for (const form of ordered) if (masked.includes(form)) masked = masked.replaceAll(form, MASK)
    return masked
  }
  const cutText = (input: string): string => {
    const masked = text(input)
    let cut = 0
    for (const form of ordered) {
      for (let length = Math.min(form.length - 1, masked.length); length > cut; length--) {
        if (masked.endsWith(form.slice(0, length))) cut = length
      }
    }
    return masked.slice(0, masked.length - cut)
  }
  const value = (input: Json): Json => {
    if (typeof input === 'string') return text(input)
    if (typeof input === 'number') return forms.has(String(input)) ? MASK : input
    if (Array.isArray(input)) return input.map(value)
    if (input === null || typeof input !== 'object') return input
    return Object.fromEntries(Object.entries(input).map(([key, member]) => [text(key), value(member)]))
  }
  return { text, cutText, value }
}

/** Texts of one value from the vault; a table of thousands that is kept there is data and no secret, and so is a text as long as a document. */
const CONCEALED_MAX = 200
const CONCEALED_CHARACTERS_MAX = 16_384
/** Of all values that a script read and wrote, the latest: each line it logs is searched for all of them. */
const LEARNT_MAX = 400

/** A masker that learns while the script runs. What it learns is hidden in text for people (log, errors), and not in results, which are data. */
export type LearningMasker = Masker & { conceal(value: Json): void }

export function createLearningMasker(secrets: readonly string[]): LearningMasker {
  const known = createMasker(secrets)
  let each: [string, Masker][] | undefined
  const learnt = new Map<string, Masker>()
  const learn = (text: string): void => {
    const masker = learnt.get(text) ?? createMasker([text])
    learnt.delete(text)
    learnt.set(text, masker)
    if (learnt.size > LEARNT_MAX) learnt.delete(learnt.keys().next().value as string)
  }
  const withLearnt = (text: string, hide: (masker: Masker, text: string) => string): string => {
    if (learnt.size === 0) return hide(known, text)
    // Only what is there is put in order, longer ones first again: a script may learn at every step.
    each ??= secrets.map((secret) => [secret, createMasker([secret])])
    const found = [...each, ...learnt]
      .filter(([, masker]) => hide(masker, text) !== text)
      .sort(([a], [b]) => b.length - a.length)
    return found.reduce((masked, [, masker]) => hide(masker, masked), text)
  }
  return {
    text: (text) => withLearnt(text, (masker, given) => masker.text(given)),
    cutText: (text) => withLearnt(text, (masker, given) => masker.cutText(given)),
    value: (value) => known.value(value),
    conceal: (value) => {
      for (const text of listTexts(value))
        if (text.length >= CHARACTERS_MIN && text.length <= CONCEALED_CHARACTERS_MAX) learn(text)
    },
  }
}

function listTexts(value: Json): string[] {
  const texts: string[] = []
  const waiting: Json[] = [value]
  while (waiting.length > 0 && texts.length < CONCEALED_MAX) {
    const next = waiting.pop() as Json
    if (typeof next === 'string') texts.push(next)
    // One by one: a call takes only so many arguments.
    else if (typeof next === 'object' && next !== null) for (const member of Object.values(next)) waiting.push(member)
  }
  return texts
}
