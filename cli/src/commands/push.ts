import type { Context } from '../context.ts'
import { makePlan, type Step } from '../folders/plan.ts'
import { push } from '../folders/push.ts'
import { readFolders } from '../folders/read-folder.ts'
import type { Terminal } from '../terminal.ts'
import { showChanges } from './show-changes.ts'

type Options = { force?: boolean; secrets?: boolean }

export async function pushFolders(context: Context, options: Options, folders: string[]): Promise<undefined> {
  const { terminal, cwd, env, signal } = context
  const read = readFolders(cwd, folders)
  const connection = await context.connect()
  const plan = await makePlan(connection, read, { readsAll: options.secrets ?? false })
  if (options.force) {
    for (const step of plan.steps) if (step.objection !== undefined) terminal.note(describeForce(terminal, step))
  }
  const pushed = await push(connection, plan, {
    force: options.force ?? false,
    withSecrets: options.secrets ?? false,
    env,
    signal,
  })
  terminal.result(pushed, () => pushed.map(({ workflow, done }) => `"${workflow}" ${done}`).join('\n'))
}

/** What is lost, or made a second time, because the push is forced. */
function describeForce(terminal: Terminal, { workflow, current, changes }: Step): string {
  if (!current) return `Creating "${workflow.name}" again.`
  return `Overwriting revision ${current.revision} of "${workflow.name}":\n${showChanges(terminal, changes)}`
}
