import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../harness/service.ts'

const testApplicationId = 'f3055934-bffe-55b6-b9e5-ce20a3a8563b'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service[Symbol.asyncDispose]())

const test = (body: object) => service.manager.post('/api/TestBlock', body)

describe('POST /api/TestBlock', () => {
  it('runs a script with given inputs and tells everything it did', async () => {
    const answer = await test({
      script: `
        console.log("began", dateLastRun)
        session.vars.count = Datasource[0].length
        myVault.setOnComplete("cursor", 9)
        fx.stopAfterThisBlock(true)
        return { variables, webhook, stored: myVault.get("k"), shared: await myVault.getGlobal("g") }`,
      dataSources: [[1, 2, 3]],
      variables: { a: { b: null } },
      webhook: { body: 'x' },
      dateLastRun: '2026-01-02T03:04:05.000Z',
      vault: { k: [1] },
      vaultGlobal: { g: 'shared' },
    })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body).toMatchObject({
      success: true,
      result: { variables: { a: { b: null } }, webhook: { body: 'x' }, stored: [1], shared: 'shared' },
      line: null,
      log: ['began 2026-01-02T03:04:05.000Z'],
      sessionVars: { count: 3 },
      deferredVault: { workflow: { cursor: 9 }, global: {} },
      stopAfterThisBlock: true,
      pauseInMilliSec: 0,
    })
    expect(answer.body.calls.map((call: { kind: string }) => call.kind)).toEqual(['vault.get', 'vault.get'])
  })

  it('answers calls from what was recorded, in order, and refuses what was not', async () => {
    const { body } = await test({
      script: `
        const first = await api.get("shop/orders?page=1")
        const second = await api.get("shop/orders?page=1")
        const made = await api.send("SHOP", { verb: "post", requestUrl: "orders", data: { n: 1 } }, true)
        const failed = await api.get("shop/broken").catch((error) => error.message)
        const unknown = await api.get("shop/nothing").catch((error) => error.message)
        return { first, second, made, failed, unknown }`,
      recordedAnswers: [
        { url: 'SHOP/orders?page=1', data: ['a'] },
        { url: 'SHOP/orders?page=1', data: [] },
        { method: 'post', url: 'SHOP/orders', statusCode: 201, headers: { location: '/1' }, data: { id: 1 } },
        { url: 'SHOP/broken', statusCode: 500, data: 'oops' },
      ],
    })
    expect(body).toMatchObject({
      success: true,
      result: {
        first: ['a'],
        second: [],
        made: { statusCode: 201, headers: { location: '/1' }, data: { id: 1 } },
        failed: expect.stringMatching(/500.*oops/),
        unknown: expect.stringMatching(/no recorded answer/),
      },
    })
    expect(body.calls).toHaveLength(5)
    expect(body.calls[2]).toMatchObject({ kind: 'api.send', arguments: { shortName: 'SHOP' }, errorMessage: null })
    expect(body.calls[4]).toMatchObject({ answer: null, errorMessage: expect.stringMatching(/no recorded answer/) })
  })

  it('calls a real registered application where one is named', async () => {
    const made = await service.manager.post('/api/RegApplication', {
      applicationId: testApplicationId,
      tagText: 'for tests',
      credentialsJson: '{}',
    })
    expect(made.status, made.text).toBe(200)
    const script = 'return (await api.get("TEST/employees")).length > 0'
    const real = await test({ script, applications: { test: made.body } })
    expect(real.body, real.text).toMatchObject({ success: true, result: true })
    const foreign = await test({ script, applications: { TEST: '00000000-0000-4000-8000-000000000000' } })
    expect(foreign.body).toMatchObject({ success: false })
  })

  it('tells where a script fails', async () => {
    expect((await test({ script: 'return 1\n  }' })).body).toMatchObject({ success: false, line: 2 })
    expect((await test({ script: 'const a = null\nreturn a.b' })).body).toMatchObject({ success: false, line: 2 })
    expect((await test({ script: 'for (;;);', timeoutSeconds: 1 })).body).toMatchObject({
      success: false,
      result: expect.stringMatching(/exceeded/),
    })
  })

  it('leaves no trace', async () => {
    const count = async () =>
      JSON.stringify(
        await service.asOwner(
          'select (select count(*) from runs) as runs, (select count(*) from vault_entries) as vault, (select count(*) from mails) as mails',
        ),
      )
    const before = await count()
    const { body } = await test({
      script:
        'myVault.set("a", 1); myVault.setGlobal("b", 2); await email.send({ to: ["a@example.com"], subject: "s", body: "b" }); return [myVault.get("a"), myVault.getGlobal("b")]',
    })
    expect(body).toMatchObject({ success: true, result: [1, 2] })
    expect(await count()).toBe(before)
  })

  it.each([
    ['no script', {}],
    ['an unknown field', { script: '', more: 1 }],
    ['data sources that are no array', { script: '', dataSources: {} }],
    ['variables that are no object', { script: '', variables: [] }],
    ['an application id that is no GUID', { script: '', applications: { TEST: 'x' } }],
    ['too much time', { script: '', timeoutSeconds: 61 }],
    ['an answer without an address', { script: '', recordedAnswers: [{ data: 1 }] }],
  ])('refuses %s with 400', async (_name, body) => {
    expect((await test(body)).status).toBe(400)
  })
})
