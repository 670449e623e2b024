// A key management service in the place of the file: it is asked to wrap and unwrap, and gives its keys to nobody.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { createOrganization } from '../../src/accounts/index.ts'
import { Database } from '../../src/db/index.ts'
import { KeyRing, type MasterKey, type MasterKeyProvider } from '../../src/secrets/index.ts'

const name = `kms_${process.pid}_${Date.now().toString(36)}`
let database: Database

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client({ ...inject('postgres'), user: 'postgres', database: 'postgres' })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

beforeAll(async () => {
  await onServer(`create database ${name} template patchbay_template`)
  const { host, port } = inject('postgres')
  const connectionString = `postgres://postgres@localhost:${port}/${name}?host=${encodeURIComponent(host)}`
  database = new Database({ connectionString }, () => {})
})
afterAll(async () => {
  await database[Symbol.asyncDispose]()
  await onServer(`drop database ${name} with (force)`)
})

/** Answers as a remote service does: later, and no for what it did not wrap itself. */
function standIn(): MasterKeyProvider & { calls: string[] } {
  const calls: string[] = []
  const secret = randomBytes(32)
  const answerLater = async (call: string) => {
    calls.push(call)
    await new Promise((done) => setImmediate(done))
  }
  const key: MasterKey = {
    id: 'kms-key/customer-7',
    async wrap(bytes, boundTo) {
      await answerLater(`wrap ${boundTo}`)
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', secret, nonce).setAAD(Buffer.from(boundTo))
      return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
    },
    async unwrap(wrapped, boundTo) {
      await answerLater(`unwrap ${boundTo}`)
      const decipher = createDecipheriv('aes-256-gcm', secret, wrapped.subarray(0, 12)).setAAD(Buffer.from(boundTo))
      decipher.setAuthTag(wrapped.subarray(-16))
      return Buffer.concat([decipher.update(wrapped.subarray(12, -16)), decipher.final()])
    },
  }
  return { calls, newest: key, find: (id) => (id === key.id ? key : undefined) }
}

describe('a key management service', () => {
  it('holds the key that all others are wrapped by, and is asked once for each of them', async () => {
    const kms = standIn()
    const keyRing = await KeyRing.load(database, kms)
    const made = await database.system.transaction((tx) =>
      createOrganization({ database, keyRing, baseUrl: 'http://local' }, tx, 'Kept', 'kept@example.com'),
    )
    const { accountId } = made.account
    const place = { table: 'vault_entries', column: 'sealed_value', rowId: 'r', accountId }
    const sealed = await keyRing.seal(place, Buffer.from('a value'))
    const before = kms.calls.length
    for (let round = 0; round < 5; round++) expect(String(await keyRing.open(place, sealed))).toBe('a value')
    expect(kms.calls.length).toBe(before)

    const another = await KeyRing.load(database, kms)
    expect(String(await another.open(place, sealed))).toBe('a value')
    expect(kms.calls.some((call) => call.startsWith('unwrap data key') && call.includes(accountId))).toBe(true)
    await expect(KeyRing.load(database, { ...standIn(), find: () => undefined })).rejects.toThrow('is not the one')
    // The same name with another key behind it opens nothing.
    await expect(KeyRing.load(database, standIn())).rejects.toThrow('cannot be decrypted')
  })
})
