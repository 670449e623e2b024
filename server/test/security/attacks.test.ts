// Strangers and neighbours do their worst while honest accounts work: one in an organization of its own, one in the organization of the attackers.
// They must hardly notice: no request fails, and 95 % of what each asks takes less than twice the quiet time and 100 ms. There is one try.
// Times are judged in the large size only, which has a machine for itself.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createOrganization } from '../harness/accounts.ts'
import type { Battlefield } from '../harness/assault.ts'
import { Attackers } from '../harness/attacker-process.ts'
import { type Attack, attacks } from '../harness/attacks.ts'
import { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { allTimes, HonestAccount, nothingSeen, p95, type Seen } from '../harness/honest-work.ts'
import { type Program, startProgram } from '../harness/program.ts'
import { isLarge, proofSize } from '../harness/proof-size.ts'
import { startService, type TestService } from '../harness/service.ts'
import { sleepingScripts } from '../harness/sleeping-scripts.ts'
import { deployWorkflow } from '../harness/workflows.ts'

const strength = proofSize('ATTACK_STRENGTH', { small: 1, large: 4 })
const attackMs = proofSize('ATTACK_MS', { small: 4000, large: 15_000 })
const quietMs = proofSize('ATTACK_QUIET_MS', { small: 1000, large: 3000 })
const http = 'e31040e1-1997-54d0-bfa6-43f910dc7be6'
/** Fewer requests say little about 95 % of them. */
const samplesMin = 60

let service: TestService
let program: Program
let attackers: Attackers
let field: Battlefield
let neighbours: Client[]
const honest: HonestAccount[] = []

beforeAll(async () => {
  attackers = await Attackers.start()
  // The attacked service is a process of its own: what is computed here is not held against it.
  service = await startService({ role: 'api' })
  program = startProgram('main', [], {
    PATCHBAY_PORT: '0',
    PATCHBAY_DATA_DIR: service.dataDir,
    PATCHBAY_DATABASE_URL: service.databaseUrl,
    PATCHBAY_LOG_LEVEL: 'warn',
    PATCHBAY_EGRESS_ALLOW: '127.0.0.0/8',
  })
  const [, baseUrl = ''] = await program.saw(/(http:\/\/127\.0\.0\.1:\d+)/)
  const other = await createOrganization(service)
  const newAccount = async (creator: Client) => {
    const { client, email } = await createAccount(service, creator, 'User')
    return { client: new Client(baseUrl, client.keys), email }
  }
  neighbours = (await Promise.all([1, 2, 3].map(() => newAccount(service.manager)))).map(({ client }) => client)
  const apart = await newAccount(other.manager)
  const within = await newAccount(service.manager)
  honest.push(
    await HonestAccount.create('another organization', apart.client),
    await HonestAccount.create("the attackers' organization", within.client),
  )
  const first = neighbours[0] as Client
  await first.post('/api/RegApplication', {
    applicationId: http,
    credentialsJson: JSON.stringify({ baseUrl: attackers.targetOrigin }),
  })
  const deploy = async (client: Client, script: string) => (await deployWorkflow(client, [script])).id
  const scripts: Record<string, string[]> = {}
  for (const { name, script } of sleepingScripts)
    scripts[name] = await Promise.all(neighbours.map((client) => deploy(client, script)))
  field = {
    baseUrl,
    neighbours: neighbours.flatMap(({ keys }) => keys ?? []),
    webhookUrl: (honest[0] as HonestAccount).webhookUrl,
    email: apart.email,
    strength,
    scripts,
    workflows: {
      wide: await deploy(first, 'return JSON.parse("[" + "{},".repeat(500000) + "{}]")'),
      secrets: await deploy(
        first,
        `myVault.set('k', Array.from({ length: 200 }, (_, index) => 'a'.repeat(60) + index))
         for (let line = 0; line < 18000; line++) console.log('a'.repeat(55))`,
      ),
    },
  }
  // Programs are slow at first. That is not what is compared.
  if (isLarge) await work(1000)
})
afterAll(async () => {
  await attackers?.[Symbol.asyncDispose]()
  program?.kill('SIGKILL')
  await program?.[Symbol.asyncDispose]()
  await service?.[Symbol.asyncDispose]()
})

/** What each honest account sees in this time. */
async function work(ms: number, seen: readonly Seen[] = honest.map(nothingSeen)): Promise<readonly Seen[]> {
  await Promise.all(honest.map((account, index) => account.work(ms, seen[index] as Seen)))
  return seen
}

/** What the machine does beside all this is seen in the quiet time too, so that is measured before and, if it is quiet then, after. */
async function expectUnharmed(chosen: readonly Attack[]): Promise<void> {
  const quiet = isLarge ? await work(quietMs) : []
  await attackers.begin(
    chosen.map(({ name }) => name),
    field,
  )
  const attacked = await work(attackMs)
  if (chosen.some(({ name }) => name.startsWith('scripts that')))
    await eventually(async () => (await countProcessing()) > 0)
  const ends = await attackers.end()
  await stopRuns()
  if (isLarge && !chosen.some(({ lingers }) => lingers)) await work(quietMs, quiet)
  // Everything is looked at, so that one failure does not hide another.
  for (const { name, reaches } of chosen) {
    const seen = Object.keys(ends[name] ?? {})
    console.log(`${name}: ${JSON.stringify(ends[name])}`)
    // With all of them at once, others may have used up what this one wanted to.
    const reached = chosen.length === attacks.length ? [...reaches, '429'] : [...reaches]
    expect.soft(seen, `"${name}" reached what it aimed at`).toEqual(expect.arrayContaining([expect.toBeOneOf(reached)]))
    expect.soft(seen, `"${name}" asked for what exists`).not.toContain('404')
  }
  expect.soft(attacked.flatMap(({ failures }) => failures)).toEqual([])
  for (const seen of attacked) expect.soft(allTimes(seen).length).toBeGreaterThan(0)
  if (isLarge) expect(compare(quiet, attacked).filter(({ loud, bound }) => loud >= bound)).toEqual([])
}

function compare(quiet: readonly Seen[], attacked: readonly Seen[]) {
  return honest.map(({ name }, index) => {
    const times = allTimes(attacked[index])
    const [calm, loud] = [p95(allTimes(quiet[index])), p95(times)]
    console.log(
      `${name}: p95 ${calm.toFixed(1)} ms without an attack, ${loud.toFixed(1)} ms of ${times.length} requests under attack`,
    )
    expect.soft(times.length, 'enough requests to judge by').toBeGreaterThanOrEqual(samplesMin)
    return { name, calm, loud, bound: 2 * calm + 100 }
  })
}

async function countProcessing(): Promise<number> {
  const [row] = await service.asOwner("select count(*)::int as count from runs where status = 'Processing'")
  return row?.['count'] as number
}

/** The neighbours' scripts would go on for an hour; the next attack shall find the service as this one did. */
async function stopRuns(): Promise<void> {
  const stops = neighbours.flatMap((client, index) =>
    Object.values(field.scripts).map(async (ids) => {
      const open = await service.asOwner(
        "select run_number from runs where workflow_id = $1 and status in ('Pending', 'Processing')",
        [ids[index]],
      )
      for (const { run_number } of open) await client.get(`/api/StopWorkflowRun/${ids[index]}?runNumber=${run_number}`)
    }),
  )
  await Promise.all(stops)
}

const timeout = attackMs + 2 * quietMs + 300_000
/** One of them shares what its organization may run with the attackers, so its work has piled up by then. */
const doneMs = isLarge ? 600_000 : 300_000
const passing = attacks.filter(({ lingers }) => !lingers)
const aims = [...new Set(attacks.map(({ aim }) => aim))]

describe('honest accounts are served', () => {
  it.runIf(isLarge).each(passing.map((attack) => [attack.by, attack.name, attack] as const))(
    'while a %s attacks with %s',
    { timeout },
    async (_by, _name, attack) => expectUnharmed([attack]),
  )
  it.each(aims)('while all who are after %s attack', { timeout }, (aim) =>
    expectUnharmed(attacks.filter((attack) => attack.aim === aim)),
  )
  it.runIf(isLarge)('while all of them attack at once', { timeout }, () => expectUnharmed(attacks))
  it('and all that they started or were sent is done in the end', { timeout: 2 * doneMs + 60_000 }, async () => {
    for (const account of honest) await account.expectDone(doneMs)
  })
})
