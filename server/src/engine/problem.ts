/**
 * What is wrong with something a caller gave, as data: the engine never throws for it, so that a caller can collect
 * every problem before it answers. `message` is a full sentence fit for `errorMessage`.
 */
export type Problem = {
  readonly message: string
  /** Set where one value that somebody gives would solve it. */
  readonly need?: Need
}

export type Need =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'application'; readonly name: string }
  | { readonly kind: 'blockVariable'; readonly name: string; readonly uniqueBlockId: string }

export type Checked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: Problem[] }

export function accept<T>(value: T): Checked<T> {
  return { ok: true, value }
}

export function refuse<T>(...problems: Problem[]): Checked<T> {
  return { ok: false, problems }
}

/** The sentences of several problems as one `errorMessage`. */
export function joinProblems(problems: readonly Problem[]): string {
  return problems.map((problem) => problem.message).join(' ')
}
