import type { Context } from '../context.ts'
import { makePlan } from '../folders/plan.ts'
import { push } from '../folders/push.ts'
import { readFolders } from '../folders/read-folder.ts'
import { showChanges } from './show-changes.ts'

type Options = { force?: boolean; secrets?: boolean }

export async function pushFolders(context: Context, options: Options, folders: string[]): Promise<undefined> {
  const { terminal, cwd, env, signal } = context
  const read = readFolders(cwd, folders)
  const connection = await context.connect()
  const plan = await makePlan(connection, read)
  const overwritten = plan.steps.filter(({ objection }) => objection !== undefined)
  if (options.force && overwritten.length > 0) {
    for (const { workflow, current } of overwritten) {
      terminal.note(
        current
          ? `Overwriting revision ${current.revision} of "${workflow.name}":`
          : `Creating "${workflow.name}" anew.`,
      )
    }
    terminal.note(
      showChanges(
        terminal,
        overwritten.filter(({ current }) => current).flatMap(({ changes }) => changes),
      ),
    )
  }
  const pushed = await push(connection, plan, {
    force: options.force ?? false,
    withSecrets: options.secrets ?? false,
    env,
    signal,
  })
  terminal.result(pushed, () => pushed.map(({ workflow, done }) => `"${workflow}" ${done}`).join('\n'))
}
