// What passing a call on costs without anything else: the framework and the HTTP client alone, no keys, no guard, no limits.
import Fastify from 'fastify'
import { Agent } from 'undici'

const [target] = process.argv.slice(2)
if (target === undefined) throw new Error('The address to call is missing.')
const origin = new URL(target).origin
const agent = new Agent({ connections: 128 })
const app = Fastify()
app.post('/', async () => {
  const answer = await agent.request({ origin, path: '/', method: 'GET' })
  return answer.body.json()
})
console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
