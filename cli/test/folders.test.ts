// Workflows as folders, on a real service: pull and push agree, nothing is lost, nothing is done by half.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { joinService } from '../../server/test/harness/joined-service.ts'
import type { TestService } from '../../server/test/harness/service.ts'
import { makePlan } from '../src/folders/plan.ts'
import { pull } from '../src/folders/pull.ts'
import { push } from '../src/folders/push.ts'
import { readFolders } from '../src/folders/read-folder.ts'
import { type Connection, connect } from '../src/session/connect.ts'
import { environmentOf, newFolder } from './harness/command.ts'
import { bodyOf, randomWorkflow } from './harness/random-workflow.ts'

describe('workflows as folders', () => {
  let service: TestService
  let connection: Connection
  const signal = new AbortController().signal
  beforeAll(async () => {
    service = await joinService()
    connection = await connect(environmentOf(service), {})
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const create = (body: unknown) => connection.client.workflowCreate({ body: body as never })
  const fetchInto = async (root: string, ids: string[], options: { force?: boolean; from?: Connection } = {}) => {
    const from = options.from ?? connection
    const listed = await Promise.all(ids.map((id) => from.client.workflow({ params: { id } })))
    return pull(from, listed, { root, cwd: root, force: options.force ?? false, onRead: () => {} })
  }
  const planOf = (root: string) => makePlan(connection, readFolders(root, []))
  const send = async (
    root: string,
    options: { force?: boolean; env?: Record<string, string>; to?: Connection } = {},
  ) => {
    const to = options.to ?? connection
    const plan = await makePlan(to, readFolders(root, []))
    return push(to, plan, { force: options.force ?? false, withSecrets: false, env: options.env ?? {}, signal })
  }
  const readAll = (root: string) =>
    Object.fromEntries(
      readdirSync(root, { recursive: true, encoding: 'utf8' })
        .filter((path) => /\.(yaml|js)$/.test(path))
        .toSorted()
        .map((path) => [path, readFileSync(join(root, path), 'utf8')]),
    )
  const idsOf = async (id: string) =>
    (await connection.client.workflow({ params: { id } })).chain.map(({ uniqueBlockId }) => uniqueBlockId)
  const hello = (name: string) => ({
    name,
    chain: [
      { blockName: 'Greet', script: 'return 1' },
      { blockName: 'Greet', script: 'return 2' },
    ],
  })

  it('keeps when and how often blocks run', async () => {
    const flow = { runWhen: 'run.input', retry: { times: 2 }, onError: 'continue', timeoutSeconds: 9 }
    const id = await create({
      name: 'Flow',
      chain: [{ blockName: 'Ship', script: 'return item', ...flow, forEach: { items: '[1]', maxFailures: '10%' } }],
    })
    const root = newFolder()
    await fetchInto(root, [id])
    expect((await planOf(root)).steps.flatMap(({ changes }) => changes)).toEqual([])
    const path = join(root, 'flow', 'workflow.yaml')
    const yaml = readFileSync(path, 'utf8')
    expect(yaml).toContain('runWhen: run.input')
    writeFileSync(path, yaml.replace('onError: continue', 'needs: all').replace('times: 2', 'times: 3'))
    expect(
      (await planOf(root)).steps.flatMap(({ changes }) => changes.map((change) => change.path)).toSorted(),
    ).toEqual(['blocks.ship.needs', 'blocks.ship.onError', 'blocks.ship.retry'])
    expect(await send(root)).toMatchObject([{ id, done: 'updated' }])
    expect((await connection.client.workflow({ params: { id } })).chain[0]).toMatchObject({
      ...flow,
      forEach: { items: '[1]', maxFailures: '10%' },
      ...{ needs: 'all', onError: null, retry: { times: 3 } },
    })
  })

  it('pulling and pushing random workflows changes nothing, and a copy elsewhere gives the same files', async () => {
    const { body: accountId } = await service.manager.post('/api/Account', {
      email: 'copy@example.com',
      firstName: 'Copy',
      lastName: 'Berg',
      roleName: 'User',
      activated: true,
    })
    const elsewhere = await connect(environmentOf(service), { account: accountId as string })
    await fc.assert(
      fc.asyncProperty(randomWorkflow, async (given) => {
        const id = await create(bodyOf(given))
        const root = newFolder()
        await fetchInto(root, [id])
        expect((await planOf(root)).steps.flatMap(({ changes }) => changes)).toEqual([])
        expect(await send(root)).toMatchObject([{ id, done: 'unchanged' }])
        expect((await connection.client.workflow({ params: { id } })).revision).toBe(1)
        const files = readAll(root)
        expect(JSON.stringify(files)).not.toContain('open-sesame')

        const secrets = Object.fromEntries(
          [...JSON.stringify(files).matchAll(/env: (\w+)/g)].map(([, name]) => [name, 'other']),
        )
        const [copied] = await send(root, { to: elsewhere, env: secrets })
        const copy = newFolder()
        await fetchInto(copy, [copied?.id as string], { from: elsewhere })
        expect(Object.values(readAll(copy))).toEqual(Object.values(files))
        await elsewhere.client.deleteWorkflow({ params: { id: copied?.id as string } })
        await connection.client.deleteWorkflow({ params: { id } })
      }),
      // Not made smaller: what a failed case leaves on the server would fail the smaller ones too.
      { numRuns: 15, endOnFailure: true },
    )
  })

  it('pushes edits: a new block, a moved one, one that is gone; and a second push does nothing', async () => {
    const id = await create(hello('Edited'))
    const root = newFolder()
    await fetchInto(root, [id])
    const file = join(root, 'edited/workflow.yaml')
    writeFileSync(join(root, 'edited/blocks/last.js'), 'return Datasource[0] + 1')
    writeFileSync(
      file,
      'name: Edited\nvariables:\n  who:\n    type: text\n    value: Anna\nblocks:\n  - name: Second\n    script: blocks/greet-2.js\n  - name: Last\n    script: blocks/last.js\n    dataSources: [greet-2]\n',
    )
    expect((await planOf(root)).steps[0]?.changes.map(({ path }) => path)).toEqual([
      'variables.who',
      'blocks',
      'blocks.greet-2.name',
    ])
    const before = await connection.client.workflow({ params: { id } })
    expect(await send(root)).toMatchObject([{ done: 'updated' }])
    const after = await connection.client.workflow({ params: { id } })
    expect(after.chain.map(({ blockName, script }) => [blockName, script])).toEqual([
      ['Second', 'return 2'],
      ['Last', 'return Datasource[0] + 1'],
    ])
    expect(after.chain[0]?.uniqueBlockId).toBe(before.chain[1]?.uniqueBlockId)
    expect(after.chain[1]?.dataSources).toEqual([after.chain[0]?.uniqueBlockId])
    expect(after.variables['who']).toMatchObject({ value: 'Anna' })
    expect(await send(root)).toMatchObject([{ done: 'unchanged' }])
    expect((await connection.client.workflow({ params: { id } })).revision).toBe(after.revision)
  })

  it('refuses what was changed or deleted on the server since, unless forced', async () => {
    const id = await create(hello('Contested'))
    const root = newFolder()
    await fetchInto(root, [id])
    const script = join(root, 'contested/blocks/greet.js')
    writeFileSync(script, 'return 3')
    await expect(fetchInto(root, [id])).rejects.toThrow('contested')
    await connection.client.workflowUpdate({ params: { id }, body: { description: 'By somebody else.' } })
    await expect(send(root)).rejects.toThrow('"Contested" was changed on the server (revision 1 here, 2 there).')
    await expect(fetchInto(root, [id])).rejects.toThrow('You have edited contested since the last pull or push.')
    expect(readFileSync(script, 'utf8')).toBe('return 3')
    expect(await send(root, { force: true })).toMatchObject([{ done: 'updated' }])
    expect((await connection.client.workflow({ params: { id } })).description).toBe('')

    await connection.client.deleteWorkflow({ params: { id } })
    await expect(send(root)).rejects.toThrow('"Contested" was deleted on the server.')
    const [created] = await send(root, { force: true })
    expect([created?.done, created?.id === id]).toEqual(['created', false])
  })

  it('reads from the server only what has changed on either side', async () => {
    const ids = [await create(hello('Quiet one')), await create(hello('Quiet two'))]
    const root = newFolder()
    await fetchInto(root, ids)
    const listed = await Promise.all(ids.map((id) => connection.client.workflow({ params: { id } })))
    const read: string[] = []
    const counting: Connection = {
      ...connection,
      client: {
        ...connection.client,
        workflow: (parts) => {
          read.push(parts.params.id)
          return connection.client.workflow(parts)
        },
      },
    }
    const readBy = async (work: () => Promise<unknown>) => {
      read.length = 0
      await work()
      return read.toSorted()
    }
    const pullAgain = () => pull(counting, listed, { root, cwd: root, force: false, onRead: () => {} })
    const plan = () => makePlan(counting, readFolders(root, []))
    expect([await readBy(plan), await readBy(pullAgain)]).toEqual([[], []])
    expect(await readBy(() => send(root, { to: counting }))).toEqual([])

    writeFileSync(join(root, 'quiet-one/blocks/greet.js'), 'return 7')
    expect(await readBy(plan)).toEqual([ids[0]])
    await connection.client.workflowUpdate({ params: { id: ids[1] as string }, body: { description: 'Changed.' } })
    expect(await readBy(plan)).toEqual(ids.toSorted())
    expect((await plan()).steps.flatMap(({ changes }) => changes.map(({ path }) => path))).toEqual([
      'blocks.greet.script',
      'description',
    ])
  })

  it('keeps comments in workflow.yaml, all of them while it says what the server says, then those at its top', async () => {
    const id = await create(hello('Commented'))
    const root = newFolder()
    await fetchInto(root, [id])
    const file = join(root, 'commented/workflow.yaml')
    const commented = `# Ours.\n# $schema=x\n${readFileSync(file, 'utf8').replace('blocks:', '# In order.\nblocks:')}`
    writeFileSync(file, commented)
    await connection.client.workflowUpdate({
      params: { id },
      body: { chain: [{ uniqueBlockId: (await idsOf(id))[0] as string, script: 'return 4' }] },
    })
    await fetchInto(root, [id])
    expect(readFileSync(join(root, 'commented/blocks/greet.js'), 'utf8')).toBe('return 4')
    expect(readFileSync(file, 'utf8')).toBe(commented)
    await connection.client.workflowUpdate({ params: { id }, body: { description: 'New.' } })
    await fetchInto(root, [id])
    expect(readFileSync(file, 'utf8')).toMatch(/^# Ours\.\n# \$schema=x\nname: Commented\ndescription: New\.\n/)
  })

  it('notices that a connection was renamed, which no revision tells', async () => {
    const { client } = connection
    const application = (await client.applications()).find(({ shortName }) => shortName === 'TEST')
    const applicationId = application?.id as string
    const register = (tagText: string) =>
      client.regApplicationCreate({ body: { applicationId, tagText, credentialsJson: '{}' } })
    const regId = await register('shop')
    const id = await create({ ...hello('Renamed'), applications: { TEST: regId } })
    const root = newFolder()
    await fetchInto(root, [id])
    expect((await planOf(root)).steps[0]?.changes).toEqual([])
    await client.regApplicationUpdate({ params: { id: regId }, body: { tagText: 'store' } })
    expect((await planOf(root)).steps[0]?.changes).toMatchObject([
      { path: 'applications.TEST', from: 'store', to: 'shop' },
    ])
  })

  it('does all or nothing: a refusal of the last takes the others back', async () => {
    const id = await create(hello('All one'))
    const root = newFolder()
    await fetchInto(root, [id])
    writeFileSync(join(root, 'all-one/blocks/greet.js'), 'return 9')
    const add = (folder: string, content: string) => {
      mkdirSync(join(root, folder, 'blocks'), { recursive: true })
      writeFileSync(join(root, folder, 'workflow.yaml'), content)
      writeFileSync(join(root, folder, 'blocks/a.js'), 'return 1')
    }
    add('all-two', 'name: All two\nblocks:\n  - name: A\n    script: blocks/a.js\n')
    add('broken', 'name: Zero time\ntimeoutSeconds: 0\nblocks:\n  - name: A\n    script: blocks/a.js\n')
    await expect(send(root)).rejects.toThrow(/timeoutSeconds/)
    const { chain } = await connection.client.workflow({ params: { id } })
    expect(chain[0]?.script).toBe('return 1')
    const { workflows } = await connection.client.workflowsSearch({ body: { searchTerm: 'All' } })
    expect(workflows.map(({ name }) => name)).toEqual(['All one'])
    expect(existsSync(join(root, 'all-two/.patchbay.json'))).toBe(false)
    rmSync(join(root, 'broken'), { recursive: true })
    expect((await send(root, { force: true })).map(({ done }) => done)).toEqual(['updated', 'created'])
  })

  it('keeps a workflow bound to its template, here and where it is pushed to', async () => {
    const template = (await connection.client.workflowTemplates()).find(({ name }) => name === 'Hello world')
    const id = await create({ name: 'Bound', workflowTemplateId: template?.id })
    const root = newFolder()
    await fetchInto(root, [id])
    const file = join(root, 'bound/workflow.yaml')
    expect(readFileSync(file, 'utf8')).toContain('template:\n  name: Hello world\n')
    expect(await send(root)).toMatchObject([{ done: 'unchanged' }])
    writeFileSync(file, readFileSync(file, 'utf8').replace(/(greeting:\n\s+value:).*/, '$1 Moin'))
    expect(await send(root)).toMatchObject([{ done: 'updated' }])
    const after = await connection.client.workflow({ params: { id } })
    expect([after.isCustomizedStructure, after.variables['greeting']?.value]).toEqual([false, 'Moin'])

    const { body: accountId } = await service.manager.post('/api/Account', {
      email: 'bound@example.com',
      firstName: 'B',
      lastName: 'B',
      roleName: 'User',
    })
    const elsewhere = await connect(environmentOf(service), { account: accountId as string })
    const [made] = await send(root, { to: elsewhere })
    const copy = await elsewhere.client.workflow({ params: { id: made?.id as string } })
    expect(copy).toMatchObject({ workflowTemplateId: template?.id, isCustomizedStructure: false })
    expect(copy.variables['greeting']?.value).toBe('Moin')
  })

  it('takes secrets from the environment, says which is missing, and keeps the names that the author chose', async () => {
    const root = newFolder()
    mkdirSync(join(root, 'secret/blocks'), { recursive: true })
    writeFileSync(join(root, 'secret/blocks/a.js'), 'return 1')
    const yaml =
      'name: Secret\nvariables:\n  token:\n    type: password\n    env: MY_TOKEN\nblocks:\n  - name: A\n    script: blocks/a.js\n'
    writeFileSync(join(root, 'secret/workflow.yaml'), yaml)
    await expect(send(root)).rejects.toThrow('Set the environment variable MY_TOKEN')
    const [created] = await send(root, { env: { MY_TOKEN: 'hush' } })
    expect(await send(root)).toMatchObject([{ done: 'unchanged' }])
    await fetchInto(root, [created?.id as string])
    expect(readFileSync(join(root, 'secret/workflow.yaml'), 'utf8')).toBe(yaml)
  })
})
