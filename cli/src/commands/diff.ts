import type { Context } from '../context.ts'
import { makePlan } from '../folders/plan.ts'
import { readFolders } from '../folders/read-folder.ts'
import { showChanges } from './show-changes.ts'

export async function diff(context: Context, _: object, folders: string[]): Promise<0 | 3> {
  const { terminal, cwd } = context
  const read = readFolders(cwd, folders)
  const { steps } = await makePlan(await context.connect(), read)
  const changes = steps.flatMap((step) => step.changes)
  for (const { objection } of steps) if (objection) terminal.note(objection)
  terminal.result(changes, () => (changes.length === 0 ? 'No differences.' : showChanges(terminal, changes)))
  return changes.length === 0 ? 0 : 3
}
