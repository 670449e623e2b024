/** Names asked of a real name server on loopback that speaks just enough of the protocol. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { createResolve } from '../../src/outbound/guard/resolve.ts'

type Zone = Record<string, { a?: string[]; aaaa?: Buffer[]; isMissing?: true }>

/** Answers A and AAAA questions from the zone and is silent about every other name. */
async function startNameServer(zone: Zone): Promise<AsyncDisposable & { address: string; questions: string[] }> {
  const socket = createSocket('udp4')
  const questions: string[] = []
  socket.on('message', (query, peer) => {
    let end = 12
    const labels: string[] = []
    while (query[end] !== 0) {
      labels.push(query.toString('latin1', end + 1, end + 1 + query[end]!))
      end += query[end]! + 1
    }
    const name = labels.join('.').toLowerCase()
    const type = query.readUInt16BE(end + 1)
    questions.push(`${name} ${type}`)
    const entry = zone[name]
    if (entry === undefined) return
    const addresses = type === 1 ? (entry.a ?? []).map((text) => Buffer.from(text.split('.').map(Number))) : entry.aaaa
    const records = (addresses ?? []).map((address) =>
      Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, address.length]), address]),
    )
    const header = Buffer.from([...query.subarray(0, 2), 0x81, entry.isMissing ? 0x83 : 0x80, 0, 1, 0, 0, 0, 0, 0, 0])
    header.writeUInt16BE(records.length, 6)
    socket.send(Buffer.concat([header, query.subarray(12, end + 5), ...records]), peer.port, peer.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => socket.close(resolve))
    },
  }
}

const loopback6 = Buffer.from('00000000000000000000000000000001', 'hex')
const notAsked = () => Promise.reject(new Error('The system was asked.'))

describe('names', () => {
  it('get all their addresses of both families', async () => {
    const zone = { 'both.test': { a: ['8.8.8.8', '127.0.0.1'], aaaa: [loopback6] }, 'old.test': { a: ['8.8.8.8'] } }
    await using server = await startNameServer(zone)
    const resolve = createResolve({ servers: [server.address], system: notAsked })
    expect(await resolve('both.test', false)).toEqual(['::1', '8.8.8.8', '127.0.0.1'])
    expect(await resolve('old.test', false)).toEqual(['8.8.8.8'])
  })

  it('are asked anew each time, so that each connection is judged by the answer of its moment', async () => {
    await using server = await startNameServer({ 'again.test': { a: ['8.8.8.8'] } })
    const resolve = createResolve({ servers: [server.address], system: notAsked })
    await resolve('again.test', false)
    await resolve('again.test', false)
    expect(server.questions.filter((question) => question === 'again.test 1')).toHaveLength(2)
  })

  it('that the wire does not know, of one label or of the operator, are left to the system', async () => {
    await using server = await startNameServer({ 'gone.test': { isMissing: true }, 'bare.test': {} })
    const system = async (host: string) => [`system ${host}`]
    const resolve = createResolve({ servers: [server.address], system })
    for (const host of ['gone.test', 'bare.test', 'localhost']) {
      expect(await resolve(host, false)).toEqual([`system ${host}`])
    }
    const asked = server.questions.length
    expect(await resolve('intern.test', true)).toEqual(['system intern.test'])
    expect(server.questions).toHaveLength(asked)
  })

  it('whose servers never answer make nobody else wait', async () => {
    await using server = await startNameServer({ 'quick.test': { a: ['8.8.8.8'] } })
    const resolve = createResolve({ servers: [server.address], system: notAsked, timeoutMs: 2_000, tries: 1 })
    let pending = 50
    const stuck = Array.from({ length: pending }, (_, at) =>
      resolve(`stuck-${at}.test`, false)
        .catch((error: NodeJS.ErrnoException) => error.code)
        .finally(() => {
          pending -= 1
        }),
    )
    expect(await resolve('quick.test', false)).toEqual(['8.8.8.8'])
    expect(pending).toBe(50)
    expect(new Set(await Promise.all(stuck))).toEqual(new Set(['ETIMEOUT']))
  })
})
