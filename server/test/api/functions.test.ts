import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createOrganization } from '../harness/accounts.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'

const functionFile = (id: string, name: string, body: string) => `/*---
id: ${id}
name: ${name}
description: Says hello.
category: Text
package: own
isAsync: false
arguments:
  zulu: { type: string }
  alpha: { type: number, optional: true }
examples: []
---*/
${body}
`

describe('GET /api/GetFunctions', () => {
  let service: TestService
  beforeAll(async () => {
    service = await joinService()
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const names = async (client = service.manager) =>
    (await client.get('/api/GetFunctions')).body.map((fn: { name: string }) => fn.name)
  const importFile = (content: string, client = service.manager) =>
    client.post('/api/CatalogImport', { files: [{ path: 'functions/own.js', content }] })

  it('lists the shipped functions with everything a reader needs', async () => {
    const user = await createAccount(service, service.manager, 'User')
    const { status, body } = await user.client.get('/api/GetFunctions')
    expect(status).toBe(200)
    expect(body.length).toBeGreaterThanOrEqual(40)
    const slug = body.find((fn: { name: string }) => fn.name === 'slug')
    expect(slug).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'slug',
      description: expect.stringMatching(/\w/),
      category: 'Text',
      package: 'standard',
      isAsync: false,
      arguments: { value: { type: 'string' } },
      script: expect.stringContaining('return'),
    })
    expect((await service.client(undefined).get('/api/GetFunctions')).status).toBe(401)
  })

  it('lists what is built in beside them', async () => {
    const listed = await names()
    for (const name of ['stopAfterThisBlock', 'decodeText', 'encodeText']) expect(listed).toContain(name)
  })

  it('adds what an organization imported, for itself only, with its arguments in order', async () => {
    const other = await createOrganization(service)
    const id = '6b0f5a5e-0000-4000-8000-000000000001'
    const imported = await importFile(functionFile(id, 'sayHello', 'return zulu + alpha'))
    expect(imported.body.imported, imported.text).toEqual([
      { entityType: 'function', id, name: 'sayHello', version: null, state: 'Published', change: 'created' },
    ])
    const own = (await service.manager.get('/api/GetFunctions')).body.find((fn: { id: string }) => fn.id === id)
    expect(Object.keys(own.arguments)).toEqual(['zulu', 'alpha'])
    expect(await names(other.manager)).not.toContain('sayHello')
  })

  it('replaces a function by importing it again', async () => {
    const id = '6b0f5a5e-0000-4000-8000-000000000002'
    await importFile(functionFile(id, 'twice', 'return zulu'))
    expect((await importFile(functionFile(id, 'twice', 'return zulu'))).body.imported[0].change).toBe('unchanged')
    expect((await importFile(functionFile(id, 'twice', 'return zulu + zulu'))).body.imported[0].change).toBe('changed')
    const all = (await service.manager.get('/api/GetFunctions')).body.filter(
      (fn: { name: string }) => fn.name === 'twice',
    )
    expect(all.map((fn: { script: string }) => fn.script.trim())).toEqual(['return zulu + zulu'])
  })

  it.each([
    ['takes the name of a shipped function', functionFile('6b0f5a5e-0000-4000-8000-000000000003', 'slug', 'return 1')],
    ['takes a name of the service', functionFile('6b0f5a5e-0000-4000-8000-000000000004', 'stopAfterThisBlock', '')],
    ['does not compile', functionFile('6b0f5a5e-0000-4000-8000-000000000005', 'broken', 'return (')],
    ['has no head', 'return 1'],
  ])('refuses one that %s', async (_what, content) => {
    const before = await names()
    const answer = await importFile(content)
    expect(answer.status).toBe(400)
    expect(answer.body.errorMessage).toContain('functions/own.js:')
    expect(await names()).toEqual(before)
  })

  it('refuses a second function of the same name', async () => {
    await importFile(functionFile('6b0f5a5e-0000-4000-8000-000000000006', 'taken', 'return 1'))
    const answer = await importFile(functionFile('6b0f5a5e-0000-4000-8000-000000000007', 'Taken', 'return 2'))
    expect(answer.status).toBe(400)
    expect(answer.body.errorMessage).toContain('6b0f5a5e-0000-4000-8000-000000000006')
  })
})
