import type { Command } from 'commander'
import type { Context } from './context.ts'
import type { ExitCode } from './failure.ts'

/** Returns a code when it is not simply done. */
export type Verb<Options = Record<string, unknown>> = (
  context: Context,
  options: Options,
  ...words: never[]
) => Promise<ExitCode | undefined>

export type Load = () => Promise<Verb<never>>
/** Adds a verb with its arguments; options are chained on. */
export type AddVerb = (parent: Command, usage: string, description: string, load: Load) => Command
