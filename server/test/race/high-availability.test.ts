// The recipe of docs/high-availability.md, on loopback: the leader of the database is killed under load, again and again.
// Part of `npm run prove`; it needs the packages etcd-server, patroni, haproxy and postgresql-15.
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { eventually } from '../harness/eventually.ts'
import { isInstalled, startHaCluster } from '../harness/ha-cluster.ts'
import { proofSize } from '../harness/proof-size.ts'
import { startService } from '../harness/service.ts'
import { enableWebhook } from '../harness/webhooks.ts'
import { startCrew } from '../harness/worker-crew.ts'
import { deployWorkflow } from '../harness/workflows.ts'

const kills = proofSize('LEADER_KILLS', { small: 0, large: 10 })
const backWithinMs = 15_000

describe.runIf(kills > 0 && isInstalled)('a highly available database', () => {
  it(
    `loses nothing and keeps the order over ${kills} kills of its leader`,
    async () => {
      await using cluster = await startHaCluster()
      await using service = await startService({
        role: 'api',
        env: { PATCHBAY_LOG_LEVEL: 'error' },
        postgres: cluster.postgres,
      })
      const workflow = await deployWorkflow(service.manager, ['await sleep(5); return webhook.body.n'])
      const settings = { strictOrderProcessing: true, skipProcessingAfterErrors: 0 }
      const hook = await enableWebhook(service.manager, workflow.id, settings)
      await using _crew = await startCrew(service, 2)

      const countDone = async () => {
        const rows = await service.asOwner(
          "select count(*)::int as done from webhook_history where workflow_id = $1 and status = 'Done'",
          [workflow.id],
        )
        return Number(rows[0]?.['done'])
      }

      let sent = 0
      let lastTakenAt = 0
      let isOver = false
      const refusals = new Set<number>()
      const sending = (async () => {
        while (!isOver) {
          const n = sent + 1
          const answer = await hook.send({ n }, { 'Idempotency-Key': `delivery ${n}` })
          if (answer.status === 200) {
            sent = n
            lastTakenAt = performance.now()
          } else {
            refusals.add(answer.status)
            await wait(50)
          }
        }
      })()
      const backMs: number[] = []
      for (let kill = 1; kill <= kills; kill++) {
        const before = sent
        await eventually(() => sent > before + 50)
        const old = await cluster.killLeader()
        await cluster.awaitLeader(old)
        const promotedAt = performance.now()
        await eventually(() => lastTakenAt > promotedAt)
        backMs.push(Math.round(lastTakenAt - promotedAt))
        await cluster.restoreStandby()
      }
      isOver = true
      await sending
      console.log(`${kills} kills of the leader, ${sent} requests taken, back after ${backMs.join(', ')} ms`)
      // However many wait by now: one after the other is done, and none of them stays.
      for (let done = 0; done < sent; ) {
        const before = done
        done = await eventually(async () => {
          const now = await countDone()
          return now > before ? now : undefined
        })
      }
      const runs = await service.asOwner(
        `select b.result from runs r join run_blocks b on b.run_id = r.id where r.workflow_id = $1 and r.status = 'Ready' order by r.run_number`,
        [workflow.id],
      )
      expect(runs.map((run) => Number(run['result']))).toEqual(Array.from({ length: sent }, (_, index) => index + 1))
      expect([...refusals].filter((status) => status !== 503)).toEqual([])
      expect(backMs.filter((ms) => ms > backWithinMs)).toEqual([])
    },
    (kills + 2) * 240_000,
  )
})
