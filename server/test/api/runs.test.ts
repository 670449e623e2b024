import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../harness/service.ts'
import { blockPath, blockResult, deployWorkflow, runToEnd } from '../harness/workflows.ts'

describe('runs', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('runs a chain, each block with the results of its data sources', async () => {
    const workflow = await deployWorkflow(service.manager, [
      'console.log("hello"); session.vars.a = 1; return { n: 1 }',
      'return { n: Datasource[0].n + 1, vars: session.vars }',
    ])
    const run = await runToEnd(service.manager, workflow.id)
    expect(run, service.logText()).toMatchObject({
      lockVersionNumber: 1,
      status: 'Ready',
      runBy: 'API',
      processorType: 'Standard',
    })
    expect((await blockResult(service.manager, workflow, 2)).body).toEqual({
      success: true,
      runNumber: 1,
      uniqueBlockId: workflow.blocks[1],
      result: { n: 2, vars: { a: 1 } },
    })
    expect((await service.manager.get(blockPath('GetBlockUserLog', workflow, 1))).body.result).toEqual(['hello'])
    expect((await service.manager.get(blockPath('GetBlockSession', workflow, 1))).body.result).toEqual({ a: 1 })
  })
})
