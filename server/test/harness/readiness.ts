import type { Answer, Client } from './client.ts'
import { eventually } from './eventually.ts'

/** What /readyz found out. On a busy machine a look may be over before the database has answered, and then says only that. */
export function readiness(client: Client): Promise<Answer> {
  return eventually(async () => {
    const answer = await client.get('/readyz')
    return answer.body.errorMessage === 'The database does not answer.' ? undefined : answer
  })
}

/** The first 503 that says why. */
export function unreadiness(client: Client): Promise<Answer> {
  return eventually(async () => {
    const answer = await readiness(client)
    return answer.status === 503 ? answer : undefined
  })
}
