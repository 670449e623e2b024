import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../harness/eventually.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import { blockPath, blockResult, deployWorkflow, endOf, runToEnd, startRun } from '../harness/workflows.ts'

let service: TestService
beforeAll(async () => {
  service = await joinService()
})
afterAll(() => service[Symbol.asyncDispose]())

describe('the end of a run', () => {
  it('moves dateLastRun to the start of the run and writes deferred vault values, all or nothing', async () => {
    const workflow = await deployWorkflow(service.manager, [
      'myVault.setOnComplete("cursor", { at: 7 }); session.vault.other = "x"; myVault.setGlobalOnComplete("shared", run.runNumber); return 1',
      'return { seen: await myVault.get("cursor"), ok: variables.ok }',
      'if (run.runNumber === 1) throw new Error("not yet"); return 1',
    ])
    const failed = await runToEnd(service.manager, workflow.id)
    expect(failed.status).toBe('Error')
    expect((await service.manager.get(`/api/MyVaultGet/${workflow.id}/cursor`)).body).toBeNull()
    expect((await service.manager.get(`/api/Workflow/${workflow.id}`)).body.dateLastRunUTC).toBeNull()

    const run = await runToEnd(service.manager, workflow.id)
    expect(run.status).toBe('Ready')
    expect((await blockResult(service.manager, workflow, 2)).body.result.seen).toBeNull()
    expect((await service.manager.get(`/api/MyVaultGet/${workflow.id}/cursor`)).body).toEqual({ at: 7 })
    expect((await service.manager.get(`/api/MyVaultGet/${workflow.id}/other`)).body).toBe('x')
    const { accountId } = service.firstAccount
    expect((await service.manager.get(`/api/MyVaultGetGlobal/${accountId}/shared`)).body).toBe(2)
    const shown = (await service.manager.get(`/api/Workflow/${workflow.id}`)).body
    expect(shown).toMatchObject({ dateLastRunUTC: run.startDateTimeUTC, lastRunStatus: 'Ready', lastRunNumber: 2 })
  })

  it('never stores deferred values in the clear while the run is under way', async () => {
    const workflow = await deployWorkflow(service.manager, [
      'myVault.setOnComplete("k", "canary-7f3a91c2"); return 1',
      'while (!myVault.contains("go")) await sleep(50); return 2',
    ])
    const number = await startRun(service.manager, workflow.id)
    await eventually(async () => (await blockResult(service.manager, workflow, 1)).status === 200)
    const rows = await service.asOwner('select * from run_blocks where block_id = $1', [workflow.blocks[0]])
    expect(rows).toHaveLength(1)
    expect(rows[0]?.['sealed_deferred']).not.toBeNull()
    expect(
      Buffer.concat(Object.values(rows[0] ?? {}).map((value) => Buffer.from(String(value)))).toString(),
    ).not.toContain('canary-7f3a91c2')
    await service.manager.post(`/api/MyVaultSet/${workflow.id}/go`, { jsonData: true })
    await endOf(service.manager, workflow.id, number)
    expect((await service.manager.get(`/api/MyVaultGet/${workflow.id}/k`)).body).toBe('canary-7f3a91c2')
  })

  it.each([
    [true, 'moves'],
    [false, 'leaves'],
  ])('fx.stopAfterThisBlock(%s) ends the run as Ready and %s dateLastRun', async (flag) => {
    const workflow = await deployWorkflow(service.manager, [
      `myVault.setOnComplete("k", 1); fx.stopAfterThisBlock(${flag}); return "last"`,
      'return "never"',
    ])
    const run = await runToEnd(service.manager, workflow.id)
    expect(run).toMatchObject({ status: 'Ready', lastExecutedBlockId: workflow.blocks[0] })
    expect((await blockResult(service.manager, workflow, 2)).status).toBe(404)
    const shown = (await service.manager.get(`/api/Workflow/${workflow.id}`)).body
    expect(shown.dateLastRunUTC).toBe(flag ? run.startDateTimeUTC : null)
    expect((await service.manager.get(`/api/MyVaultGet/${workflow.id}/k`)).body).toBe(flag ? 1 : null)
  })

  it('reaches the vault from scripts, with and without await', async () => {
    const workflow = await deployWorkflow(service.manager, [
      'myVault.set("a", { n: 1 }); const seen = myVault.get("a"); await myVault.setGlobal("g", 2); return [seen, myVault.contains("a"), await myVault.getGlobal("g"), myVault.remove("a"), myVault.get("a")]',
    ])
    await runToEnd(service.manager, workflow.id)
    expect((await blockResult(service.manager, workflow, 1)).body.result).toEqual([{ n: 1 }, true, 2, true, null])
  })

  it('masks password variables in results, logs and errors', async () => {
    const secret = 'correct-horse-battery'
    const workflow = await deployWorkflow(
      service.manager,
      [
        {
          script: 'console.log("the key is " + variables.key); session.vars.k = variables.key; return variables',
          variables: { key: { variableSource: 'Workflow', variableName: 'key' } },
        },
        {
          script: 'throw new Error("bad key " + variables.key)',
          variables: { key: { variableSource: 'Workflow', variableName: 'key' } },
        },
      ],
      { variables: { key: { value: secret, type: 'password' } } },
    )
    const run = await runToEnd(service.manager, workflow.id)
    expect(run.status).toBe('Error')
    const texts = [
      JSON.stringify(run),
      (await blockResult(service.manager, workflow, 1)).text,
      (await blockResult(service.manager, workflow, 2)).text,
      (await service.manager.get(blockPath('GetBlockUserLog', workflow, 1))).text,
      (await service.manager.get(blockPath('GetBlockSession', workflow, 1))).text,
      JSON.stringify(await service.asOwner('select r.*, b.* from runs r join run_blocks b on b.run_id = r.id')),
      service.logText(),
    ]
    for (const text of texts) expect(text).not.toContain(secret)
    expect(texts[0]).toContain('bad key ***')
  })
})
