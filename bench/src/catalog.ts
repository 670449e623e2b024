// Lists and searches over many applications, and over very many registered ones; and what a large catalogue costs at start.

import { benchCatalogLoad } from './catalog-load.ts'
import { medianOf } from './measure.ts'
import { connectOwner } from './owner.ts'
import type { Row } from './report.ts'
import { type BenchService, newDataDir, startBenchService } from './service.ts'

const applications = 1000
const registered = 100_000

export async function benchCatalog(): Promise<Row[]> {
  const load = await benchCatalogLoad()
  using dataDir = newDataDir()
  await using service = await startBenchService(dataDir.path)
  await importApplications(service)
  await registerApplications(service)
  const search = (path: string, body: object) => () => call(service, path, JSON.stringify(body))
  return [
    load,
    await timed(
      `search ${applications} applications`,
      search('Applications', { page: 0, size: 20, searchTerm: 'service 7' }),
    ),
    await timed(`page through ${applications} applications`, search('Applications', { page: 20, size: 50 })),
    await timed(
      `first page of ${registered} registered applications`,
      search('RegApplications', { page: 0, size: 50 }),
    ),
    await timed(
      `search ${registered} registered applications by text`,
      search('RegApplications', { page: 0, size: 50, searchTerm: 'customer 4711' }),
    ),
    await timed(
      `search ${registered} registered applications by fault`,
      search('RegApplications', { page: 0, size: 50, isFaulted: true }),
    ),
  ]
}

async function importApplications(service: BenchService): Promise<void> {
  for (let from = 0; from < applications; from += 100) {
    const files = Array.from({ length: 100 }, (_, index) => {
      const no = from + index
      const id = `0b9f1000-0000-4000-8000-${String(no).padStart(12, '0')}`
      return {
        path: `applications/bench${no}/application.yaml`,
        content: `id: ${id}\nshortName: BENCH${no}\nname: Bench service ${no}\ntag: bench\ndescription: A service that only the bench knows.\nbaseUrl: https://bench${no}.example.com\nallowedHosts: [bench${no}.example.com]\nauthentication:\n  type: none\ncredentialFields: []\n`,
      }
    })
    await call(service, 'CatalogImport', JSON.stringify({ files }))
  }
}

/** Copies one registered application, made through the interface, a hundred thousand times. */
async function registerApplications(service: BenchService): Promise<void> {
  const list = (await call(service, 'Applications')) as { id: string; shortName: string }[]
  const applicationId = list.find(({ shortName }) => shortName === 'BENCH0')?.id
  const first = await call(
    service,
    'RegApplication',
    JSON.stringify({ applicationId, tagText: 'customer 0', credentialsJson: '{}' }),
  )
  const owner = await connectOwner(service.dataDir)
  try {
    const { rows } = await owner.query(
      "select column_name from information_schema.columns where table_schema = 'patchbay' and table_name = 'registered_applications' and is_generated = 'NEVER'",
    )
    const columns = rows
      .map(({ column_name }) => column_name as string)
      .filter((name) => !['id', 'tag_text'].includes(name))
    await owner.query(
      `insert into registered_applications (id, tag_text, ${columns.join(', ')})
       select gen_random_uuid(), 'customer ' || n, ${columns.join(', ')} from registered_applications, generate_series(1, $2::int) n where id = $1`,
      [first, registered - 1],
    )
    await owner.query('analyze registered_applications')
  } finally {
    await owner.end()
  }
}

async function call(service: BenchService, path: string, body?: string): Promise<unknown> {
  const answer = await fetch(`${service.baseUrl}/api/${path}`, {
    headers: { ...service.keys, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body }),
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}

async function timed(what: string, ask: () => Promise<unknown>): Promise<Row> {
  const times: number[] = []
  for (let round = 0; round < 30; round++) {
    const startedAt = performance.now()
    await ask()
    times.push(performance.now() - startedAt)
  }
  const ms = medianOf(times.slice(5))
  return { what, measured: `${ms.toFixed(1)} ms`, wanted: 'under 50 ms', isMet: ms < 50 }
}
