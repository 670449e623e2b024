import { setTimeout as wait } from 'node:timers/promises'
import type { Answer, Client } from './client.ts'
import { eventually } from './eventually.ts'

const triesMax = 200

/** What /readyz found out. On a busy machine a look may be over before the database has answered, and then says only that. */
export async function readiness(client: Client): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const answer = await client.get('/readyz')
    if (answer.body.errorMessage !== 'The database does not answer.' || tries === triesMax) return answer
    await wait(50)
  }
}

/** The first 503 that says why. */
export function unreadiness(client: Client): Promise<Answer> {
  return eventually(async () => {
    const answer = await readiness(client)
    return answer.status === 503 ? answer : undefined
  })
}
