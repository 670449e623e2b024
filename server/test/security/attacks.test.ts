// Strangers and neighbours do their worst, one after the other and all at once, while an honest account works. It must hardly notice.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import { type Attack, attacks, type Battlefield } from '../harness/attacks.ts'
import { Client } from '../harness/client.ts'
import { type HttpTarget, startHttpTarget } from '../harness/http-target.ts'
import { type Program, startProgram } from '../harness/program.ts'
import { proofSize } from '../harness/proof-size.ts'
import { startService, type TestService } from '../harness/service.ts'
import { deployWorkflow } from '../harness/workflows.ts'

const strength = proofSize('ATTACK_STRENGTH', { small: 1, large: 4 })
const attackMs = proofSize('ATTACK_MS', { small: 2000, large: 30_000 })
const http = 'e31040e1-1997-54d0-bfa6-43f910dc7be6'

let service: TestService
let program: Program
let target: HttpTarget
let honest: Client
let field: Battlefield
let isOver = true

beforeAll(async () => {
  target = await startHttpTarget()
  // The attacked service is a process of its own: what the attackers compute here is not held against it.
  service = await startService({ role: 'api' })
  program = startProgram('main', [], {
    PATCHBAY_PORT: '0',
    PATCHBAY_DATA_DIR: service.dataDir,
    PATCHBAY_DATABASE_URL: service.databaseUrl,
    PATCHBAY_LOG_LEVEL: 'warn',
    PATCHBAY_EGRESS_ALLOW: '127.0.0.0/8',
  })
  const [, baseUrl = ''] = await program.saw(/(http:\/\/127\.0\.0\.1:\d+)/, 60_000)
  const keysOf = async () => (await createAccount(service, service.manager, 'User')).client.keys
  honest = new Client(baseUrl, await keysOf())
  const neighbour = new Client(baseUrl, await keysOf())
  await neighbour.post('/api/RegApplication', {
    applicationId: http,
    credentialsJson: JSON.stringify({ baseUrl: target.origin }),
  })
  const deploy = async (script: string) => (await deployWorkflow(neighbour, [script])).id
  field = {
    baseUrl,
    neighbour,
    target,
    strength,
    sockets: [],
    isOver: () => isOver,
    workflows: {
      wide: await deploy('return JSON.parse("[" + "{},".repeat(500000) + "{}]")'),
      secrets: await deploy(
        `myVault.set('k', Array.from({ length: 200 }, (_, index) => 'a'.repeat(60) + index))
         for (let line = 0; line < 18000; line++) console.log('a'.repeat(55))`,
      ),
      sleep: await deploy('await sleep(600000)'),
    },
  }
}, 120_000)
afterAll(async () => {
  for (const socket of field?.sockets ?? []) socket.destroy()
  await program?.[Symbol.asyncDispose]()
  await target?.[Symbol.asyncDispose]()
  await service?.[Symbol.asyncDispose]()
}, 60_000)

type Seen = { p95Ms: number; worst: number }

/** What the honest account sees in this time: small requests, one after the other. */
async function work(ms: number): Promise<Seen> {
  const took: number[] = []
  let worst = 0
  for (const end = performance.now() + ms; performance.now() < end; ) {
    const startedAt = performance.now()
    const path = took.length % 2 === 0 ? '/api/Authenticate' : '/api/Workflows'
    worst = Math.max(worst, (await honest.get(path)).status)
    took.push(performance.now() - startedAt)
  }
  took.sort((one, other) => one - other)
  return { p95Ms: took[Math.floor(took.length * 0.95)] as number, worst }
}

async function underAttack(chosen: readonly Attack[]): Promise<Seen> {
  isOver = false
  const begun = chosen.map((attack) => attack.begin(field).catch(() => {}))
  try {
    return await work(attackMs)
  } finally {
    isOver = true
    for (const socket of field.sockets.splice(0)) socket.destroy()
    await Promise.all(begun)
  }
}

/** The machine has other things to do as well, so quiet and attack are measured in turns, and the best of a few counts. */
async function expectUnharmed(chosen: readonly Attack[]): Promise<void> {
  let last: { quiet: Seen; attacked: Seen } | undefined
  for (let tries = 0; tries < 3; tries++) {
    last = { quiet: await work(attackMs / 4), attacked: await underAttack(chosen) }
    expect(last.attacked.worst, 'no request of the honest account fails').toBe(200)
    if (last.attacked.p95Ms < 2 * last.quiet.p95Ms + 100) return
  }
  expect(last?.attacked.p95Ms).toBeLessThan(2 * (last?.quiet.p95Ms ?? 0) + 100)
}

describe('an honest account is served', () => {
  it.each(attacks.map((attack) => [attack.by, attack.name, attack] as const))(
    'while a %s attacks with %s',
    { timeout: 6 * attackMs + 60_000 },
    async (_by, _name, attack) => expectUnharmed([attack]),
  )

  it('while all of them attack at once', { timeout: 6 * attackMs + 60_000 }, async () => {
    if (process.env['PATCHBAY_PROOF'] === 'large') await expectUnharmed(attacks)
    else await expectUnharmed(attacks.filter(({ by }) => by === 'stranger'))
  })
})
