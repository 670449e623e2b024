// The proof of move-organization: two cells behind HAProxy, each with a database that is killed, a client that knows one address, organizations in
// both. One of them moves to and fro under load, while the command, its databases and its services are killed at random. Then everything is
// counted, in the databases and by what the client was promised.
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CellProxy, hasProxy, startCellProxy } from '../harness/cell-proxy.ts'
import {
  type Cell,
  contentOf,
  createOrganizationIn,
  makeCell,
  type NewOrganization,
  sharedSettings,
} from '../harness/cells.ts'
import { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { freePort } from '../harness/free-port.ts'
import { type OwnDatabase, startOwnDatabase } from '../harness/own-database.ts'
import { type Program, startProgram } from '../harness/program.ts'
import { isLarge, proofRandom, proofSize } from '../harness/proof-size.ts'
import { emptyOnServer } from '../harness/restored.ts'
import { enableWebhook, type SampleWebhook } from '../harness/webhooks.ts'
import { deployWorkflow, type SampleWorkflow } from '../harness/workflows.ts'

const movesKilled = proofSize('MOVES', { small: 1, large: 20 })
const random = proofRandom()
if (!hasProxy) console.warn('haproxy is not installed: move-organization is NOT proven behind a proxy here.')

/** A cell whose processes are started again when they end, as a supervisor does it. */
type Site = { cell: Cell; database: OwnDatabase; kill(role: 'api' | 'worker'): void; end(): Promise<void> }

async function startSite(name: string, settings: Record<string, string>): Promise<Site> {
  const database = await startOwnDatabase()
  const cell = await makeCell(name, settings, () => emptyOnServer(database.postgres))
  const running: Record<'api' | 'worker', Program | undefined> = { api: undefined, worker: undefined }
  const over: Promise<unknown>[] = []
  let isEnding = false
  const keep = (role: 'api' | 'worker') => {
    const program = startProgram('main', [role], cell.env)
    running[role] = program
    over.push(program.ended.then(() => (isEnding ? undefined : keep(role))))
    return program
  }
  await keep('api').saw(/Patchbay is ready/)
  await keep('worker').saw(/worker is ready/)
  // Every end of a run is noted where it is written, beyond the reach of the move.
  await cell.place.query(
    `create table public.proof_ends (run_id uuid not null);
     create function public.note_end() returns trigger language plpgsql security definer as $$
       begin insert into public.proof_ends values (new.id); return null; end $$;
     create trigger proof_note_end after update on runs for each row when (old.ended_at is null and new.ended_at is not null)
       execute function public.note_end()`,
    true,
  )
  return {
    cell,
    database,
    kill: (role) => running[role]?.kill('SIGKILL'),
    end: async () => {
      isEnding = true
      for (const program of Object.values(running)) program?.kill('SIGKILL')
      await Promise.all(over)
      await cell[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

/** An organization under load, and what it was promised. */
type Load = {
  organization: NewOrganization
  client: Client
  runs: SampleWorkflow
  ordered: SampleWebhook
  startedRuns: number[]
  /** In the order in which they were accepted. */
  accepted: string[]
  longestPauseMs: number
}

async function prepare(site: Site, publicUrl: string, name: string): Promise<Load> {
  const organization = await createOrganizationIn(site.cell, name, `${name}@example.com`)
  const client = new Client(publicUrl, organization)
  const runs = await deployWorkflow(client, ['return 1', 'await sleep(50); return 2'])
  const noting = await deployWorkflow(client, ['return webhook'])
  const ordered = await enableWebhook(client, noting.id, { strictOrderProcessing: true })
  return { organization, client, runs, ordered, startedRuns: [], accepted: [], longestPauseMs: 0 }
}

/** One request after the other, each again until it is accepted; beside it runs that are promised only by a 200. */
async function keepBusy(load: Load, isOver: () => boolean): Promise<void> {
  const ordering = async () => {
    let lastAt = performance.now()
    for (let n = 1; !isOver(); n++) {
      for (;;) {
        // The id lets the service know a request again whose answer was lost.
        const id = { 'Idempotency-Key': `${load.organization.organizationId}-${n}` }
        const answer = await load.ordered.send({ n }, id).catch(() => undefined)
        if (answer?.status === 200) {
          load.accepted.push(answer.body.webhookId)
          break
        }
        if (answer) expect([502, 503, 504], answer.text).toContain(answer.status)
        await wait(50)
      }
      load.longestPauseMs = Math.max(load.longestPauseMs, performance.now() - lastAt)
      lastAt = performance.now()
      await wait(30)
    }
  }
  const starting = async () => {
    while (!isOver()) {
      const answer = await load.client.post('/api/RunWorkflow', { workflowId: load.runs.id }).catch(() => undefined)
      if (answer?.status === 200) load.startedRuns.push(Number(answer.headers.get('x-run-number')))
      else if (answer) expect([502, 503, 504], answer.text).toContain(answer.status)
      await wait(60)
    }
  }
  await Promise.all([ordering(), starting()])
}

/** However long the row has grown: it must become shorter. A request that failed while a database was away is tried again minutes later, and the others wait behind it. */
async function drained(left: () => Promise<string[]>): Promise<void> {
  let fewest = Number.POSITIVE_INFINITY
  for (let since = performance.now(); ; ) {
    const ids = await left()
    if (ids.length === 0) return
    if (ids.length < fewest) [fewest, since] = [ids.length, performance.now()]
    if (performance.now() - since > 400_000)
      throw new Error(`${ids.length} are left and stay: ${ids.slice(0, 5).join(', ')}`)
    await wait(200)
  }
}

describe.skipIf(!hasProxy)('an organization moves under load (skipped without haproxy)', () => {
  const sites: Site[] = []
  let proxy: CellProxy
  const loads: Load[] = []
  beforeAll(async () => {
    const publicPort = await freePort()
    const settings = {
      ...sharedSettings(),
      PATCHBAY_LOG_LEVEL: 'fatal',
      PATCHBAY_BASE_URL: `http://127.0.0.1:${publicPort}`,
    }
    sites.push(...(await Promise.all(['eu1', 'us1'].map((name) => startSite(name, settings)))))
    const [eu1, us1] = sites as [Site, Site]
    proxy = await startCellProxy(publicPort, { eu1: eu1.cell.baseUrl, us1: us1.cell.baseUrl })
    for (const [site, name] of [
      [eu1, 'mover'],
      [eu1, 'neighbour'],
      [us1, 'far'],
    ] as const)
      loads.push(await prepare(site, proxy.baseUrl, name))
  })
  afterAll(async () => {
    await proxy?.[Symbol.asyncDispose]()
    await Promise.all(sites.map((site) => site.end()))
  })

  const startMove = (from: Site, to: Site): Program =>
    startProgram(
      'admin',
      [
        'move-organization',
        '--organization',
        loads[0]?.organization.organizationId ?? '',
        '--to',
        to.cell.settingsFile,
      ],
      from.cell.env,
    )

  /** Something of either cell, or the command itself, dies at a random moment of the move; then the command is run until it has done its work. */
  async function moveWithKills(from: Site, to: Site): Promise<string[]> {
    const killed: string[] = []
    for (let tries = 1; ; tries++) {
      const command = startMove(from, to)
      let isOver = false
      void command.ended.then(() => {
        isOver = true
      })
      if (tries <= 3) {
        await command.saw(/Held|already/).catch(() => {})
        await wait(random.below(4000))
        const victim = random.pick(['command', 'source database', 'target database', 'source api', 'source worker'])
        killed.push(isOver ? `${victim} after the end` : victim)
        if (victim === 'command') command.kill('SIGKILL')
        if (victim === 'source database') await from.database.kill(random)
        if (victim === 'target database') await to.database.kill(random)
        if (victim === 'source api') from.kill('api')
        if (victim === 'source worker') from.kill('worker')
      }
      const code = await command.ended
      if (code === 0) return killed
      if (tries > 15) throw new Error(`The move does not come to its end:\n${command.output()}`)
      await wait(200)
    }
  }

  it(`loses nothing, does nothing twice and keeps the order over 1 move and ${movesKilled} with kills`, {
    timeout: 900_000 + movesKilled * 90_000,
  }, async () => {
    let isOver = false
    // A client that was answered wrongly stops, and everything else would only wait for it.
    const busy = loads.map((load) =>
      keepBusy(load, () => isOver).catch((error: unknown) => {
        console.error(error)
        throw error
      }),
    )
    const [mover] = loads as [Load]
    await eventually(() => mover.accepted.length > 20 && mover.startedRuns.length > 10)
    let [from, to] = sites as [Site, Site]

    mover.longestPauseMs = 0
    const clean = startMove(from, to)
    expect(await clean.ended, clean.output()).toBe(0)
    const seen = mover.accepted.length
    await eventually(() => mover.accepted.length > seen + 5)
    const pauseMs = Math.round(mover.longestPauseMs)
    // A machine that does other things too says nothing about time. The large proof has one for itself.
    if (isLarge) expect(pauseMs).toBeLessThan(10_000)

    mover.longestPauseMs = 0
    const kills: string[] = []
    for (let move = 0; move < movesKilled; move++) {
      ;[from, to] = [to, from]
      kills.push(...(await moveWithKills(from, to)))
    }
    const before = mover.accepted.length
    await eventually(() => mover.accepted.length > before + 5)
    isOver = true
    await Promise.all(busy)

    const home = { mover: to, neighbour: sites[0] as Site, far: sites[1] as Site }
    const counts = []
    for (const [index, site] of Object.values(home).entries()) counts.push(await count(loads[index] as Load, site))
    const left = await contentOf(from.cell, mover.organization.organizationId)
    console.log(
      `pause ${pauseMs} ms, longest with kills ${Math.round(mover.longestPauseMs)} ms, killed ${JSON.stringify(kills)}, counted ${JSON.stringify(counts)}`,
    )
    for (const found of counts)
      expect(found).toMatchObject({
        lost: 0,
        twice: 0,
        outOfOrder: 0,
        runsLost: 0,
        doubleEnds: 0,
        gaps: 0,
        open: 0,
        jobsLeft: 0,
      })
    expect(Object.entries(left).filter(([, rows]) => rows.length > 0)).toEqual([])
  })

  async function count({ ordered, runs, accepted, startedRuns }: Load, { cell }: Site) {
    const ask = async (text: string) => (await cell.place.query<{ n: string }>(text, true)).map(({ n }) => n)
    const waiting = () =>
      ask(`select webhook_id::text as n from webhook_queue where workflow_id = '${ordered.workflowId}'`)
    const open = () =>
      ask(
        `select id::text as n from runs where workflow_id in ('${ordered.workflowId}', '${runs.id}') and ended_at is null`,
      )
    await drained(async () => [...(await waiting()), ...(await open())])
    const done = await ask(
      `select webhook_id::text as n from webhook_history where workflow_id = '${ordered.workflowId}' and status = 'Done' order by run_number`,
    )
    const ids = await ask(`select id::text as n from runs where workflow_id in ('${ordered.workflowId}', '${runs.id}')`)
    const numbers = (await ask(`select run_number::text as n from runs where workflow_id = '${runs.id}'`)).map(Number)
    const ends = (
      await Promise.all(
        sites.map((site) => site.cell.place.query<{ run_id: string }>('select run_id from public.proof_ends', true)),
      )
    ).flat()
    const endsOf = Map.groupBy(ends, ({ run_id }) => run_id)
    return {
      accepted: accepted.length,
      runs: startedRuns.length,
      lost: accepted.filter((id) => !done.includes(id)).length,
      twice: (
        await ask(
          `select unnest(webhook_ids)::text as n from runs where workflow_id = '${ordered.workflowId}' and status = 'Ready' group by 1 having count(*) > 1`,
        )
      ).length,
      // A request whose answer was lost and that was sent again is known by its delivery id, so both orders are of the same requests.
      outOfOrder: done.filter((id, index) => id !== accepted[index]).length,
      runsLost: startedRuns.filter((number) => !numbers.includes(number)).length,
      gaps: Math.max(0, ...numbers) - new Set(numbers).size,
      doubleEnds: ids.filter((id) => (endsOf.get(id)?.length ?? 0) !== 1).length,
      open: (await open()).length,
      jobsLeft: (
        await ask(
          `select id::text as n from jobs where queue = 'runs' and id in (select id from runs where ended_at is not null)`,
        )
      ).length,
    }
  }
})
