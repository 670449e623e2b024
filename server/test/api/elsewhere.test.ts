// A refusal that cannot be checked, because the database went away between the two questions, must not sound final.
import fastify from 'fastify'
import { expect, it } from 'vitest'
import { sendOnElsewhere } from '../../src/http/answer/elsewhere.ts'

it('says to try again when nobody can tell whether keys that are refused live in another cell', async () => {
  const app = fastify()
  sendOnElsewhere(app, {
    find: () => Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })),
  })
  app.get('/', (_request, reply) => reply.code(401).send({ code: 401 }))
  const answer = await app.inject('/')
  expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '1'])
  expect(answer.json()).toEqual({
    code: 503,
    errorMessage: 'The database cannot be reached at the moment. Try again.',
    response: null,
  })
})
