import type { Context } from '../context.ts'
import { explain } from '../explain.ts'
import { chooseProfile } from '../session/connect.ts'
import { profilesPath } from '../session/profiles.ts'
import { serviceProgram } from './start.ts'

type Check = { name: string; ok: boolean; detail: string }

export async function doctor(context: Context): Promise<0 | 1> {
  const checks: Check[] = [
    await check('Node', async () => process.version),
    await check('Service in this installation', async () => serviceProgram('main')),
    await check(
      'Profile',
      async () => `${chooseProfile(context.env, context.choice).url} (${profilesPath(context.env)})`,
    ),
    await check('Service', () => readiness(context)),
    await check('Keys', async () => {
      const { myAccount } = await (await context.connect()).client.authenticate()
      return `${myAccount.email} (${myAccount.role})`
    }),
  ]
  const { terminal } = context
  terminal.result(checks, () =>
    checks
      .map(
        ({ name, ok, detail }) =>
          `${ok ? terminal.paint('green', 'ok  ') : terminal.paint('red', 'fail')}  ${name}: ${detail}`,
      )
      .join('\n'),
  )
  return checks.every(({ ok }) => ok) ? 0 : 1
}

async function readiness({ env, choice, signal }: Context): Promise<string> {
  const { url } = chooseProfile(env, choice)
  const answer = await fetch(`${url}/readyz`, { signal }).catch(() => undefined)
  if (!answer) throw new Error(`${url} cannot be reached.`)
  if (!answer.ok) throw new Error(`${url}/readyz answers ${answer.status}: ${await answer.text()}`)
  return `${url} is ready`
}

async function check(name: string, look: () => Promise<string>): Promise<Check> {
  try {
    return { name, ok: true, detail: await look() }
  } catch (error) {
    return { name, ok: false, detail: explain(error).message }
  }
}
