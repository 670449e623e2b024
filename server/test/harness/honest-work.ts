// What an honest account does all day: it asks who it is, lists its workflows, starts runs and receives webhooks. Every request is timed.
import { expect } from 'vitest'
import type { Client } from './client.ts'
import { enableWebhook, historyOf, queueOf, type SampleWebhook } from './webhooks.ts'
import { deployWorkflow } from './workflows.ts'

const kindsOfWork = ['Authenticate', 'Workflows', 'RunWorkflow', 'webhook'] as const
type KindOfWork = (typeof kindsOfWork)[number]

/** Times in milliseconds by kind, and every status that was not 200. */
export type Seen = { took: Record<KindOfWork, number[]>; failures: string[] }

export class HonestAccount {
  readonly name: string
  readonly #client: Client
  readonly #workflowId: string
  readonly #webhook: SampleWebhook
  #runs = 0
  #sent = 0

  private constructor(name: string, client: Client, workflowId: string, webhook: SampleWebhook) {
    this.name = name
    this.#client = client
    this.#workflowId = workflowId
    this.#webhook = webhook
  }

  static async create(name: string, client: Client): Promise<HonestAccount> {
    const { id } = await deployWorkflow(client, ['return 1'])
    const hooked = await deployWorkflow(client, ['return webhook'])
    return new HonestAccount(name, client, id, await enableWebhook(client, hooked.id))
  }

  get webhookUrl(): string {
    return this.#webhook.url
  }

  /** One thing after the other, for so long, with a breath between them: people and programs do not ask without pause. */
  async work(ms: number, seen: Seen): Promise<void> {
    for (const end = performance.now() + ms; performance.now() < end; )
      for (const kind of kindsOfWork) {
        const startedAt = performance.now()
        const status = await this.#do(kind)
        seen.took[kind].push(performance.now() - startedAt)
        if (status !== 200) seen.failures.push(`${this.name}: ${kind} ${status}`)
        await new Promise((done) => setTimeout(done, 5))
      }
  }

  /** Everything that was accepted was done. Of runs and requests, the latest are kept. */
  async expectDone(withinMs: number): Promise<void> {
    const ready = async () => {
      const search = { page: 0, size: 1, status: 'Ready' }
      return (await this.#client.post(`/api/GetRunHistory/${this.#workflowId}`, search)).body.total
    }
    const options = { timeout: withinMs, interval: 250 }
    await expect.poll(ready, options).toBeGreaterThanOrEqual(Math.min(this.#runs, 500))
    const { workflowId } = this.#webhook
    await expect.poll(async () => (await queueOf(this.#client, workflowId)).length, options).toBe(0)
    const { items } = await historyOf(this.#client, workflowId, { size: 1000 })
    expect(items.length).toBe(Math.min(this.#sent, 1000))
  }

  async #do(kind: KindOfWork): Promise<number> {
    switch (kind) {
      case 'Authenticate':
      case 'Workflows':
        return (await this.#client.get(`/api/${kind}`)).status
      case 'RunWorkflow': {
        const answer = await this.#client.post('/api/RunWorkflow', { workflowId: this.#workflowId })
        if (answer.status === 200) this.#runs++
        return answer.status
      }
      case 'webhook': {
        const answer = await this.#webhook.send({ order: this.#sent })
        if (answer.status === 200) this.#sent++
        return answer.status
      }
    }
  }
}

export function nothingSeen(): Seen {
  return { took: { Authenticate: [], Workflows: [], RunWorkflow: [], webhook: [] }, failures: [] }
}

export function allTimes(seen: Seen | undefined): number[] {
  return Object.values(seen?.took ?? {}).flat()
}

export function p95(times: readonly number[]): number {
  const sorted = [...times].sort((one, other) => one - other)
  return sorted[Math.floor(sorted.length * 0.95)] ?? Number.POSITIVE_INFINITY
}
