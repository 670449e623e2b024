import type { Context } from '../context.ts'
import { readJson } from './read-json.ts'

type Options = { key?: string; data?: string; eventId?: string }

export async function eventsSend(context: Context, options: Options, name: string): Promise<undefined> {
  const { client } = await context.connect()
  const { wokenRuns } = await client.sendEvent({
    body: {
      name,
      ...(options.key === undefined ? {} : { key: options.key }),
      ...(options.data === undefined ? {} : { data: await readJson(context, '--data', options.data) }),
      ...(options.eventId === undefined ? {} : { eventId: options.eventId }),
    },
  })
  context.terminal.result({ wokenRuns }, () => `${wokenRuns} ${wokenRuns === 1 ? 'run' : 'runs'} woken.`)
}
