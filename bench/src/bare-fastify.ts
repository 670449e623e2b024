// What the framework alone can do on this machine: a program of its own, as the service is.
import Fastify from 'fastify'

const app = Fastify()
app.get(
  '/',
  { schema: { response: { 200: { type: 'object', properties: { hello: { type: 'string' } } } } } },
  async () => ({ hello: 'world' }),
)
app.post(
  '/',
  { schema: { response: { 200: { type: 'object', properties: { webhookId: { type: 'string' } } } } } },
  async () => ({ webhookId: '00000000-0000-4000-8000-000000000000' }),
)
console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
