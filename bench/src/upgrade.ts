// A thousand customised workflows of twenty blocks follow the next version of their template, and go back.
import { randomUUID } from 'node:crypto'
import { type Client, createClient } from '@patchbay/sdk'
import type { Row } from './report.ts'
import { newDataDir, startBenchService } from './service.ts'

const workflowCount = 1000
const blockCount = 20
const linesOfScript = 60

export async function benchUpgrade(): Promise<Row[]> {
  using dataDir = newDataDir()
  await using service = await startBenchService(dataDir.path)
  const client = createClient({
    baseUrl: service.baseUrl,
    keys: { consumer: service.keys.Consumer, secretKey: service.keys.SecretKey },
  })
  const templateId = await seed(client)

  const preview = await time(async () => {
    const { counts } = await client.call('TemplateUpgradePreview', {
      body: { workflowTemplateId: templateId, size: 50 },
    })
    if (counts.clean !== workflowCount) throw new Error(`Not all workflows are clean: ${JSON.stringify(counts)}.`)
  })
  let upgradeId = ''
  const upgrade = await time(async () => {
    const body = { workflowTemplateId: templateId, waveSize: workflowCount, waveMinutes: 0 }
    upgradeId = (await client.call('TemplateUpgrade', { body })).upgradeId
    await waitFor(client, upgradeId, 'Completed', 'upgraded')
  })
  const rollBack = await time(async () => {
    await client.call('TemplateUpgradeAction', { params: { id: upgradeId }, body: { action: 'rollBack' } })
    await waitFor(client, upgradeId, 'RolledBack', 'rolledBack')
  })
  const size = `${workflowCount} workflows of ${blockCount} blocks`
  return [
    toRow(`preview of ${size}`, preview, 5),
    toRow(`upgrade of ${size}`, upgrade, 30),
    toRow(`roll back of ${size}`, rollBack, 30),
  ]
}

function toRow(what: string, seconds: number, secondsMax: number): Row {
  return { what, measured: `${seconds.toFixed(1)} s`, wanted: `under ${secondsMax} s`, isMet: seconds < secondsMax }
}

/** Every workflow has a block of its customer's; every block has a line of the template's that changes. */
async function seed(client: Client): Promise<string> {
  const id = randomUUID()
  const name = `bench-${id.slice(0, 8)}`
  const ids = Array.from({ length: blockCount }, () => randomUUID())
  const script = (first: string, last: string) =>
    [first, ...Array.from({ length: linesOfScript }, (_, line) => `const value${line} = ${line}`), last].join('\n')
  const publish = (version: string, last: string) => {
    const chain = ids.map((uniqueBlockId, index) => ({
      uniqueBlockId,
      blockName: `Block ${index + 1}`,
      script: script('let start = 1', last),
      ...(index === 0 ? {} : { dataSources: [ids[index - 1]] }),
    }))
    const file = { id, name, description: '', version, state: 'Published', applications: [], variables: [], chain }
    const files = [{ path: `workflows/${name}.yaml`, content: JSON.stringify(file) }]
    return client.call('CatalogImport', { body: { files } as never })
  }
  await publish('1', 'return start')
  const create = async (no: number) => {
    const chain = [
      { uniqueBlockId: ids[no % blockCount] as string, script: script(`let start = ${no}`, 'return start') },
    ]
    await client.call('WorkflowCreate', { body: { workflowTemplateId: id, name: `Customer ${no}`, chain } })
  }
  for (let no = 0; no < workflowCount; no += 10)
    await Promise.all(Array.from({ length: 10 }, (_, index) => create(no + index)))
  await publish('2', 'return start + 1')
  return id
}

async function time(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return (performance.now() - startedAt) / 1000
}

async function waitFor(client: Client, id: string, state: string, outcome: 'upgraded' | 'rolledBack'): Promise<void> {
  for (;;) {
    const { items } = await client.call('TemplateUpgrades', { body: { page: 0, size: 10 } })
    const upgrade = items.find((item) => item.id === id)
    if (upgrade?.state === state) {
      if (upgrade.counts[outcome] !== workflowCount) throw new Error(`Only ${upgrade.counts[outcome]} are ${outcome}.`)
      return
    }
    await new Promise((done) => setTimeout(done, 100))
  }
}
