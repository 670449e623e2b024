// What people and programs say to runs that wait, from a terminal.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../server/test/harness/eventually.ts'
import { joinService } from '../../server/test/harness/joined-service.ts'
import type { TestService } from '../../server/test/harness/service.ts'
import { blockResult, deployWorkflow, endOf, findRun, startRun } from '../../server/test/harness/workflows.ts'
import { environmentOf, newFolder, runCommand } from './harness/command.ts'

describe('patchbay and runs that wait', () => {
  let service: TestService
  const folder = newFolder()
  const cli = (...words: string[]) => runCommand(words, { cwd: folder, env: environmentOf(service) })
  const waitFor = async (wait: object) => {
    const workflow = await deployWorkflow(service.manager, [{ script: 'return 1', flow: { wait } }])
    await startRun(service.manager, workflow.id)
    await eventually(async () => (await findRun(service.manager, workflow.id, 1))?.status === 'Waiting')
    return workflow
  }
  const resultOf = async (workflow: { id: string; blocks: string[] }) => {
    await endOf(service.manager, workflow.id, 1)
    return (await blockResult(service.manager, workflow, 1)).body.result
  }
  beforeAll(async () => {
    service = await joinService()
    writeFileSync(join(folder, 'value.json'), '{"amount":250}')
    writeFileSync(join(folder, 'wrong.json'), '{')
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('approve lists what is open, approves and rejects', async () => {
    const form = [{ shortName: 'amount', displayName: 'Amount', type: 'number', required: true }]
    const approval = { title: '"Pay order 7"', to: ['a@people.example'], form }
    const [one, other] = [await waitFor({ approval }), await waitFor({ approval })]
    const listed = await cli('approve')
    expect(listed.stdout).toContain('Pay order 7')
    const items = JSON.parse((await cli('approve', '--json')).stdout) as { id: string; workflowId: string }[]
    const idOf = ({ id }: { id: string }) => items.find(({ workflowId }) => workflowId === id)?.id as string
    const missing = await cli('approve', idOf(one))
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('"Amount" is required.')])
    const approved = await cli('approve', idOf(one), '--form', 'value.json', '--comment', 'Fine.')
    expect([approved.code, approved.stdout]).toEqual([0, expect.stringContaining('"Pay order 7" is approved.')])
    expect(await resultOf(one)).toMatchObject({ outcome: 'approved', data: { amount: 250 }, comment: 'Fine.' })
    expect((await cli('approve', idOf(other), '--reject')).stdout).toContain('"Pay order 7" is rejected.')
    expect(await resultOf(other)).toMatchObject({ outcome: 'rejected' })
    expect((await cli('approve')).stdout).toContain('Nothing waits for an approval.')
  })

  it('events send wakes the runs that wait for it', async () => {
    const waiting = await waitFor({ events: ['order.paid'], key: '"1007"' })
    expect((await cli('events', 'send', 'order.paid', '--key', '1008')).stdout).toContain('0 runs woken.')
    const sent = await cli('events', 'send', 'order.paid', '--key', '1007', '--data', 'value.json')
    expect([sent.code, sent.stdout]).toEqual([0, expect.stringContaining('1 run woken.')])
    expect(await resultOf(waiting)).toMatchObject({ outcome: 'event', data: { amount: 250 } })
    const wrong = await cli('events', 'send', 'order.paid', '--data', 'wrong.json')
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--data must name a file with JSON')])
  })

  it('run --input --wait prints the result', async () => {
    const name = 'Answering'
    await deployWorkflow(service.manager, ['return { twice: run.input.amount * 2 }'], { name })
    const ran = await cli('run', name, '--input', 'value.json', '--wait', '30')
    expect([ran.code, JSON.parse(ran.stdout)]).toEqual([0, { twice: 500 }])
    const both = await cli('run', name, '--wait', '30', '--follow')
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('--wait cannot be used with --follow')])
  })
})
