// Where the files of shares lie: in the data directory, in a bucket or in the database. Whichever it is, every API process serves every share.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blocks } from '../harness/large-upload.ts'
import { startBucket, type TestBucket } from '../harness/s3-bucket.ts'
import { startService, type TestService } from '../harness/service.ts'
import { download, hello, shareFiles } from '../harness/upload.ts'

const otherDirs: string[] = []
const otherDataDir = () => {
  const directory = mkdtempSync(join(tmpdir(), 'patchbay-other-'))
  otherDirs.push(directory)
  return directory
}
afterAll(() => {
  for (const directory of otherDirs) rmSync(directory, { recursive: true, force: true })
})

/** A second machine: the same database and master key, a data directory of its own. */
const onAnotherMachine = (service: TestService, env: Record<string, string> = {}) => {
  const dataDir = otherDataDir()
  const more = {
    PATCHBAY_DATA_DIR: dataDir,
    PATCHBAY_MASTER_KEY_FILE: join(service.dataDir, 'master.key'),
    ...env,
  }
  return service.startAnother(more, 'api')
}

let bucket: TestBucket
beforeAll(async () => {
  bucket = await startBucket()
})
afterAll(() => bucket[Symbol.asyncDispose]())

describe.each(['database:', 's3'])('with %s', (kind) => {
  let service: TestService
  let env: Record<string, string>
  beforeAll(async () => {
    env = kind === 's3' ? bucket.env('s3://shares/some/prefix') : { PATCHBAY_STORAGE_URL: kind }
    service = await startService({ env, role: 'api' })
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const kept = async (shareId: string): Promise<number> =>
    kind === 's3'
      ? bucket.keys().filter((key) => key.includes(shareId)).length
      : Number((await service.asOwner('select count(*) from file_pieces where group_id = $1', [shareId]))[0]?.['count'])

  it('a share of several files, one of them longer than a part, is served by a process with another data directory', async () => {
    const large = Buffer.concat([...blocks(17 * 1024 * 1024)])
    const id = await shareFiles(service.manager, { code: 'c' }, [
      hello,
      { name: 'l.bin', content: large as never, type: '' },
    ])
    expect(readdirSync(join(service.dataDir, 'shares'))).toEqual(['storage-id'])
    await using other = await onAnotherMachine(service)
    expect((await download(other, id, 'c', 0)).bytes.toString()).toBe(hello.content)
    expect((await download(other, id, 'c', 1)).bytes.equals(large)).toBe(true)
    expect(await kept(id)).toBeGreaterThan(1)
    expect((await other.client(service.firstAccount).get(`/api/DeleteSecureShare/${id}`)).status).toBe(200)
    expect(await kept(id)).toBe(0)
  })

  it('what is stored is sealed', async () => {
    const id = await shareFiles(service.manager, { code: 'c' }, [{ ...hello, content: 'canary '.repeat(1000) }])
    expect(await kept(id)).toBe(1)
    const stored =
      kind === 's3'
        ? bucket.read(id)
        : ((await service.asOwner('select bytes from file_pieces where group_id = $1', [id]))[0]?.['bytes'] as Buffer)
    expect(stored.length).toBeGreaterThan(7000)
    expect(stored.includes('canary')).toBe(false)
  })

  it('an upload that is cut off leaves nothing behind', async () => {
    const before = kind === 's3' ? bucket.keys().length : await service.asOwner('select count(*) from file_pieces')
    const form = new FormData()
    form.append('notificationEmail', 'anna@example.com')
    form.append('files', new File([Buffer.concat([...blocks(17 * 1024 * 1024)])], 'l.bin'))
    form.append('unknown', 'x')
    const answer = await fetch(`${service.baseUrl}/api/ProxySecureUpload`, {
      method: 'POST',
      headers: { Consumer: service.firstAccount.consumer, SecretKey: service.firstAccount.secretKey },
      body: form,
    })
    expect(answer.status).toBe(400)
    expect(kind === 's3' ? bucket.keys().length : await service.asOwner('select count(*) from file_pieces')).toEqual(
      before,
    )
  })
})

describe('a changed setting', () => {
  it('leaves earlier shares readable where they are', async () => {
    await using service = await startService({ role: 'api' })
    const id = await shareFiles(service.manager, { code: 'c' })
    await using other = await service.startAnother({ PATCHBAY_STORAGE_URL: 'database:' }, 'api')
    expect((await download(other, id, 'c')).bytes.toString()).toBe(hello.content)
  })

  it.each([
    ['ftp://x', 'must be file:, file:///a/directory, s3://bucket/prefix or database:'],
    ['s3://shares', 'AWS_ACCESS_KEY_ID is not set'],
  ])('%s is refused: %s', async (url, sentence) => {
    await expect(startService({ env: { PATCHBAY_STORAGE_URL: url } })).rejects.toThrow(sentence)
  })

  it.each([
    ['a bucket that is not there', { PATCHBAY_STORAGE_URL: 's3://nowhere' }, 'There is no bucket "nowhere"'],
    ['a key that is wrong', { AWS_ACCESS_KEY_ID: 'wrong' }, 'refused the keys'],
    ['a server that is not there', { AWS_ENDPOINT_URL: 'http://127.0.0.1:1' }, 'does not answer'],
  ])('%s is one sentence at the start', async (_, env, sentence) => {
    await expect(startService({ env: { ...bucket.env('s3://shares'), ...env }, role: 'api' })).rejects.toThrow(sentence)
  })
})
