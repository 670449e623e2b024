// Start, memory, authentication against the bare framework, and what creating an account costs.
import { startBareProgram } from './bare-program.ts'
import { medianOf, requestsPerSecond } from './measure.ts'
import type { Row } from './report.ts'
import { memoryMb, newDataDir, startBenchService } from './service.ts'

export async function benchFoundation(): Promise<Row[]> {
  using dataDir = newDataDir()
  let firstReadyMs = 0
  {
    await using service = await startBenchService(dataDir.path)
    firstReadyMs = service.readyMs
  }
  await using service = await startBenchService(dataDir.path)
  // Idle means: after everything that start-up left to do has been done.
  await new Promise((done) => setTimeout(done, 5000))
  const idleMb = memoryMb(service.pid)
  await using bare = await startBareProgram(new URL('./bare-fastify.ts', import.meta.url))
  const authenticate = { url: `${service.baseUrl}/api/Authenticate`, headers: service.keys }
  await requestsPerSecond({ ...authenticate, seconds: 2 })
  await requestsPerSecond({ url: bare.url, seconds: 2 })
  // Alternating, so that what else the machine does falls on both.
  const ours: number[] = []
  const theirs: number[] = []
  for (let round = 0; round < 5; round++) {
    ours.push((await requestsPerSecond({ ...authenticate, seconds: 3 })).perSecond)
    theirs.push((await requestsPerSecond({ url: bare.url, seconds: 3 })).perSecond)
  }
  const ratio = medianOf(ours) / medianOf(theirs)
  return [
    {
      what: 'start to ready, empty data directory',
      measured: `${(firstReadyMs / 1000).toFixed(2)} s`,
      wanted: 'under 5 s',
      isMet: firstReadyMs < 5000,
    },
    {
      what: 'start to ready, existing data directory',
      measured: `${(service.readyMs / 1000).toFixed(2)} s`,
      wanted: 'under 2 s',
      isMet: service.readyMs < 2000,
    },
    {
      what: 'idle memory of all processes',
      measured: `${idleMb.toFixed(0)} MB`,
      wanted: 'under 350 MB',
      isMet: idleMb < 350,
    },
    {
      what: 'Authenticate against a bare Fastify route',
      measured: `${medianOf(ours).toFixed(0)}/s : ${medianOf(theirs).toFixed(0)}/s = ${ratio.toFixed(2)}`,
      wanted: 'at least 0.5',
      isMet: ratio >= 0.5,
    },
  ]
}
