import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Context } from '../context.ts'
import { wrongUse } from '../failure.ts'
import { readInput } from './read-input.ts'

/** The JSON of a file, or of standard input for `-`. */
export async function readJson({ cwd }: Pick<Context, 'cwd'>, option: string, file: string): Promise<unknown> {
  const text = file === '-' ? await readInput() : readFileSync(resolve(cwd, file), 'utf8')
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw wrongUse(`${option} must name a file with JSON; ${file === '-' ? 'standard input' : file} is not.`)
  }
}
