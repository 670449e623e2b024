// Secure shares: one large file up and down again, with the memory of the process watched, beside what the disk does by itself.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import type { Row } from './report.ts'
import { type BenchService, newDataDir, startBenchService } from './service.ts'

const megabyte = 1024 * 1024
const block = randomBytes(megabyte)
const boundary = 'bench-boundary'
const field = (name: string, more = '') =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`
const begin = `${field('notificationEmail')}anna@example.com\r\n${field('code')}c\r\n${field('files', '; filename="large.bin"')}`
const end = `\r\n--${boundary}--\r\n`

export async function benchShares(megabytes = 1024): Promise<Row[]> {
  using dataDir = newDataDir()
  await using service = await startBenchService(dataDir.path)
  const warm = await upload(service, 64)
  await download(service, warm, 64)
  const before = residentMb(service.pid)

  const disk = await timed(megabytes, () => writeToDisk(dataDir.path, megabytes))
  const watched = watchMemory(service.pid)
  let shareId = ''
  const up = await timed(megabytes, async () => {
    shareId = await upload(service, megabytes)
  })
  const peakUp = watched.peak()
  const down = await timed(megabytes, () => download(service, shareId, megabytes))
  const peak = watched.stop()
  const size = `${megabytes} MiB`
  return [
    {
      what: `upload of ${size}, encrypted and on the disk`,
      measured: `${up.toFixed(0)} MB/s (the disk alone: ${disk.toFixed(0)} MB/s)`,
      wanted: 'at least 100 MB/s where the disk allows',
      isMet: up >= 100 || up >= disk * 0.8,
    },
    {
      what: `download of ${size}, decrypted`,
      measured: `${down.toFixed(0)} MB/s`,
      wanted: 'at least 100 MB/s',
      isMet: down >= 100,
    },
    {
      what: `memory added by both`,
      measured: `${(peak - before).toFixed(0)} MB (upload ${(peakUp - before).toFixed(0)} MB, from ${before.toFixed(0)} MB)`,
      wanted: 'under 64 MB',
      isMet: peak - before < 64,
    },
  ]
}

async function timed(megabytes: number, work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return (megabytes * megabyte) / 1e6 / ((performance.now() - startedAt) / 1000)
}

async function writeToDisk(directory: string, megabytes: number): Promise<void> {
  const path = join(directory, 'bench.bin')
  {
    await using file = await open(path, 'w')
    for (let count = 0; count < megabytes; count++) await file.write(block)
    await file.sync()
  }
  await rm(path)
}

async function upload(service: BenchService, megabytes: number): Promise<string> {
  const sending = request(`${service.baseUrl}/api/ProxySecureUpload`, {
    method: 'POST',
    headers: {
      ...service.keys,
      'Content-Type': `multipart/form-data; boundary=${boundary}`,
      'Content-Length': begin.length + megabytes * megabyte + end.length,
    },
  })
  const answered = answerOf(sending)
  sending.write(begin)
  for (let count = 0; count < megabytes; count++) if (!sending.write(block)) await once(sending, 'drain')
  sending.end(end)
  return JSON.parse(await textOf(await answered))
}

async function download(service: BenchService, shareId: string, megabytes: number): Promise<void> {
  const address = `${service.baseUrl}/secure-share/secure-download?shareid=${shareId}`
  const list = await textOf(await post(address, 'code=c'))
  const file = /name="file" value="([^"]+)"/.exec(list)?.[1]
  const answer = await post(address, `code=c&file=${file}`)
  let bytes = 0
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  await once(answer, 'end')
  if (bytes !== megabytes * megabyte) throw new Error(`The file came back with ${bytes} bytes.`)
}

function post(address: string, form: string): Promise<IncomingMessage> {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const sending = request(address, { method: 'POST', headers })
  const answered = answerOf(sending)
  sending.end(form)
  return answered
}

async function answerOf(sending: ClientRequest): Promise<IncomingMessage> {
  const [answer] = (await once(sending, 'response')) as [IncomingMessage]
  if (answer.statusCode !== 200) throw new Error(`Refused with ${answer.statusCode}: ${await textOf(answer)}`)
  return answer
}

async function textOf(answer: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of answer) text += chunk
  return text
}

function residentMb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

function watchMemory(pid: number): { peak(): number; stop(): number } {
  let peak = residentMb(pid)
  const timer = setInterval(() => {
    peak = Math.max(peak, residentMb(pid))
  }, 20)
  return {
    peak: () => peak,
    stop: () => {
      clearInterval(timer)
      return peak
    },
  }
}
