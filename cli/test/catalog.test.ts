// The catalogue as files: what one installation exports, another imports and exports again, byte by byte.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../../server/test/harness/service.ts'
import { environmentOf, newFolder, runCommand } from './harness/command.ts'

const [applicationId, blockId, workflowId, functionId, first] = [
  '11111111-6f0e-4a55-9a36-0d5b7a2f9c11',
  '22222222-6f0e-4a55-9a36-0d5b7a2f9c11',
  '33333333-6f0e-4a55-9a36-0d5b7a2f9c11',
  '44444444-6f0e-4a55-9a36-0d5b7a2f9c11',
  '55555555-6f0e-4a55-9a36-0d5b7a2f9c11',
]
/** A connector with its block, a template made of that block, and a function: in the form in which the catalogue of Patchbay is kept. */
const files: Record<string, string> = {
  'applications/ourshop/application.yaml': `id: ${applicationId}
shortName: OurShop
name: Our shop
tag: Own
description: A shop that only we have.
baseUrl: https://api.example.com
authentication: { type: bearer, token: '{token}' }
credentialFields:
  - { ShortName: token, DisplayName: Token, Type: password, Required: true }
`,
  'applications/ourshop/logo.svg':
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" fill="#246"/></svg>\n',
  'applications/ourshop/blocks/list-orders.yaml': `id: ${blockId}
name: List orders
application: OurShop
description: Orders of the shop, æøå included.
version: '3'
state: Published
script: list-orders.js
variables:
  - { shortName: since, displayName: Since, type: text, required: false, default: yesterday }
`,
  'applications/ourshop/blocks/list-orders.js': "return await api.get('OurShop/orders?since=' + variables.since)\n",
  'workflows/orders.yaml': `id: ${workflowId}
name: Orders
description: Reads orders.
version: '1'
state: Published
applications: [OurShop]
variables:
  - { shortName: since, displayName: Since, type: text, required: true }
chain:
  - uniqueBlockId: ${first}
    blockName: Orders
    blockTemplateId: ${blockId}
    variables:
      since: { variableSource: Workflow, variableName: since }
`,
  'functions/shout.js': `/*---
id: ${functionId}
name: shout
description: In capitals.
category: Text
package: own
isAsync: false
arguments:
  text:
    type: string
examples: []
---*/
return text.toUpperCase()
`,
}

describe('the catalogue as files', () => {
  let here: TestService
  let there: TestService
  beforeAll(async () => {
    ;[here, there] = await Promise.all([startService(), startService()])
  })
  afterAll(() => Promise.all([here, there].map((service) => service[Symbol.asyncDispose]())))

  const root = newFolder()
  const cli = async (service: TestService, ...words: string[]) => {
    const ended = await runCommand(['catalog', ...words, '--json'], { cwd: root, env: environmentOf(service) })
    return { code: ended.code, answer: JSON.parse(ended.stdout || ended.stderr) }
  }
  const readAll = (folder: string): Record<string, string> =>
    Object.fromEntries(
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((path) => statSync(join(root, folder, path)).isFile())
        .toSorted()
        .map((path) => [path, readFileSync(join(root, folder, path), 'base64')]),
    )

  it('is checked, imported, exported, and the same in another installation', async () => {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, 'ours', path)), { recursive: true })
      writeFileSync(join(root, 'ours', path), content)
    }
    const checked = await cli(here, 'check', 'ours')
    expect([checked.code, checked.answer.problems]).toEqual([0, []])
    expect((await cli(here, 'export', 'before')).answer.files).toEqual([])
    const changes = async (service: TestService, folder: string) =>
      (await cli(service, 'import', folder)).answer.imported.map((item: { change: string }) => item.change)
    expect(await changes(here, 'ours')).toEqual(Array(4).fill('created'))

    await cli(here, 'export', 'exported')
    const exported = readAll('exported')
    expect(Object.keys(exported)).toEqual(Object.keys(files).toSorted())
    // Scripts and pictures are taken as they are; YAML is written anew.
    for (const path of Object.keys(files).filter((one) => /blocks.*\.js$|\.svg$/.test(one))) {
      expect(Buffer.from(exported[path] as string, 'base64').toString()).toBe(files[path])
    }
    expect(await changes(here, 'exported')).toEqual(Array(4).fill('unchanged'))

    expect(await changes(there, 'exported')).toEqual(Array(4).fill('created'))
    await cli(there, 'export', 'again')
    expect(readAll('again')).toEqual(exported)
  })

  it('is refused as a whole when one file is wrong, with its place', async () => {
    mkdirSync(join(root, 'bad/functions'), { recursive: true })
    writeFileSync(
      join(root, 'bad/functions/shout.js'),
      (files['functions/shout.js'] as string).replace('name: shout', 'nam: shout'),
    )
    const before = (await cli(here, 'export', 'kept')).answer.files
    const [checked, imported] = await Promise.all([cli(here, 'check', 'bad'), cli(here, 'import', 'bad')])
    expect([checked.code, checked.answer.problems[0].file]).toEqual([1, 'functions/shout.js'])
    expect(imported).toEqual({ code: 1, answer: { error: expect.stringMatching(/functions\/shout\.js:\d+: /) } })
    expect((await cli(here, 'export', 'kept')).answer.files).toEqual(before)
    const none = await runCommand(['catalog', 'import', 'nowhere'], { cwd: root, env: environmentOf(here) })
    expect(none).toEqual({ code: 1, stdout: '', stderr: `${join(root, 'nowhere')} does not exist.\n` })
  })
})
