// Script processes that something ends from outside: nobody blames the script, nothing is done twice, nothing that it wrote is lost.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { eventually } from '../harness/eventually.ts'
import { countWaiting, holdLock } from '../harness/held-lock.ts'
import { type HttpTarget, startHttpTarget } from '../harness/http-target.ts'
import { killProcess, listScriptProcesses } from '../harness/script-processes.ts'
import { startService, type TestService } from '../harness/service.ts'
import { blockPath, deployWorkflow, endOf, runToEnd, startRun } from '../harness/workflows.ts'

const http = 'e31040e1-1997-54d0-bfa6-43f910dc7be6'
let service: TestService
let target: HttpTarget
let applications: Record<string, string>

beforeAll(async () => {
  service = await startService()
  target = await startHttpTarget(() => ({ json: 1 }))
  const credentialsJson = JSON.stringify({ baseUrl: target.origin, authType: 'none' })
  const made = await service.manager.post('/api/RegApplication', { applicationId: http, credentialsJson })
  applications = { HTTP: made.body }
})
afterAll(async () => {
  await target[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})
beforeEach(() => {
  target.received.length = 0
})

const killScripts = () => listScriptProcesses([process.pid]).map(killProcess)

const crashes = async () => {
  const { text } = await service.client(undefined).get('/metrics')
  return Number(/^patchbay_script_process_crashes_total (\d+)$/m.exec(text)?.[1])
}

it('a script that has called nothing starts again, unseen but for its log', async () => {
  const workflow = await deployWorkflow(service.manager, ["console.log('begun'); myVault.contains('x'); return 'done'"])
  const before = await crashes()
  const lock = await holdLock(service.databaseUrl, 'lock table vault_entries in access exclusive mode')
  const number = await startRun(service.manager, workflow.id)
  await eventually(async () => (await countWaiting(service)) > 0)
  killScripts()
  await eventually(async () => (await crashes()) > before)
  await lock.release()
  expect(await endOf(service.manager, workflow.id, number)).toMatchObject({ status: 'Ready' })
  const { body } = await service.manager.get(blockPath('GetBlockUserLog', workflow, 1, number))
  expect(JSON.stringify(body).match(/begun/g)).toHaveLength(2)
  expect(service.logText()).toContain('A script process ended unexpectedly (SIGKILL).')
})

it('a script that has sent something fails, keeps its log and sends nothing again', async () => {
  const script = `console.log('before'); await api.post('http/orders', 1); while (!myVault.contains('go')) await sleep(20); return 1`
  const workflow = await deployWorkflow(service.manager, [script], { applications })
  const number = await startRun(service.manager, workflow.id)
  await eventually(() => target.received.length === 1)
  killScripts()
  const run = await endOf(service.manager, workflow.id, number)
  expect(run).toMatchObject({
    status: 'Error',
    errorMessage: expect.stringContaining('The script process ended unexpectedly (SIGKILL).'),
  })
  expect(target.received).toHaveLength(1)
  const log = await service.manager.get(blockPath('GetBlockUserLog', workflow, 1, number))
  expect(JSON.stringify(log.body)).toContain('before')
})

it('a block that runs out of memory by itself is told so', async () => {
  const workflow = await deployWorkflow(service.manager, ['const all = []; for (;;) all.push(new Array(1e6).fill(7))'])
  expect(await runToEnd(service.manager, workflow.id)).toMatchObject({
    status: 'Error',
    errorMessage: expect.stringContaining('exceeded its memory limit of 128 MiB'),
  })
})
