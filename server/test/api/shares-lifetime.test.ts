import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import { startService, type TestService } from '../harness/service.ts'
import { startSmtpPeer } from '../harness/smtp-peer.ts'
import { download, fileIds, hello, postShare, sendUpload, shareFiles, uploadForm } from '../harness/upload.ts'

let smtp: Awaited<ReturnType<typeof startSmtpPeer>>
let service: TestService
beforeAll(async () => {
  smtp = await startSmtpPeer()
  service = await startService({ env: { PATCHBAY_SMTP_URL: smtp.url } })
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await smtp[Symbol.asyncDispose]()
})

const share = (fields?: Record<string, string>) => shareFiles(service.manager, fields)
const filesOnDisk = (id: string) => join(service.dataDir, 'shares', id)

describe('SecureShares and DeleteSecureShare', () => {
  it('lists what the account shares, without codes and notes', async () => {
    const user = await createAccount(service, service.manager, 'User')
    const upload = await sendUpload(
      user.client,
      uploadForm([hello], { code: 'secret code', secureNote: 'secret note', copy: 'c@example.com', subject: 'S' }),
    )
    const list = await user.client.get('/api/SecureShares')
    expect(list.body).toEqual([
      {
        id: upload.body,
        state: 'Active',
        notificationEmail: 'anna@example.com',
        copy: 'c@example.com',
        subject: 'S',
        isCodeChosen: true,
        files: [{ name: 'hello.txt', contentType: 'text/plain', bytes: 11 }],
        wrongCodes: 0,
        downloads: 0,
        lastDownloadDateTimeUTC: null,
        createDateTimeUTC: expect.stringMatching(/Z$/),
        expiresDateTimeUTC: expect.stringMatching(/Z$/),
      },
    ])
    const days = Date.parse(list.body[0].expiresDateTimeUTC) - Date.parse(list.body[0].createDateTimeUTC)
    expect(Math.round(days / 86_400_000)).toBe(7)
    expect(list.text).not.toMatch(/secret/)
    await download(service, upload.body, 'secret code')
    const [after] = (await user.client.get('/api/SecureShares')).body
    expect([after.downloads, after.lastDownloadDateTimeUTC]).toEqual([1, expect.stringMatching(/Z$/)])
  })

  it('takes a share back at once: no key, no files, no row; a second time is 404', async () => {
    const id = await share({ code: 'c' })
    expect(existsSync(filesOnDisk(id))).toBe(true)
    const answer = await service.manager.get(`/api/DeleteSecureShare/${id.toUpperCase()}`)
    expect([answer.status, answer.body]).toEqual([200, true])
    expect(existsSync(filesOnDisk(id))).toBe(false)
    expect(await service.asOwner('select 1 from shares where id = $1', [id])).toEqual([])
    const again = await service.manager.get(`/api/DeleteSecureShare/${id}`)
    const never = await service.manager.get(`/api/DeleteSecureShare/${randomUUID()}`)
    expect([again.status, again.text]).toEqual([404, never.text])
  })

  it('leaves the shares of others alone', async () => {
    const id = await share({ code: 'c' })
    const peer = await createAccount(service, service.manager, 'User')
    expect((await peer.client.get(`/api/DeleteSecureShare/${id}`)).status).toBe(404)
    expect((await peer.client.get('/api/SecureShares')).body).toEqual([])
    expect((await download(service, id, 'c')).status).toBe(200)
  })
})

describe('clean-up', () => {
  const ago = "now() - interval '1 minute'"
  it('erases expired shares with their files when a process starts, and says so in the audit log', async () => {
    const id = await share({ code: 'c' })
    const kept = await share({ code: 'c' })
    await service.asOwner(`update shares set expires_at = ${ago} where id = $1`, [id])
    const [listed] = (await service.manager.get('/api/SecureShares')).body.filter(
      (one: { id: string }) => one.id === id,
    )
    expect(listed.state).toBe('Expired')
    await using _another = await service.startAnother()
    expect(existsSync(filesOnDisk(id))).toBe(false)
    expect(await service.asOwner('select 1 from shares where id = $1', [id])).toEqual([])
    expect(existsSync(filesOnDisk(kept))).toBe(true)
    const log = (await service.manager.post('/api/GetAuditLog', { size: 5 })).body.items
    expect(log).toContainEqual(expect.objectContaining({ action: 'share.expired', target: id, accountId: null }))
  })

  it('removes an upload that could not be given up when it failed', async () => {
    await service.asOwner(`create function no_erasing() returns trigger language plpgsql as $$ begin raise exception 'not now'; end $$;
      create trigger no_erasing before update on shares for each row when (new.status = 'Erased') execute function no_erasing()`)
    const form = uploadForm([hello])
    form.append('nonsense', new File(['x'], 'x'))
    expect((await sendUpload(service.manager, form)).status).toBe(400)
    const uploads = async () =>
      (await service.asOwner("select id from shares where status = 'Uploading'")) as { id: string }[]
    const [left] = await uploads()
    expect(existsSync(filesOnDisk(left?.id as string))).toBe(true)
    await service.asOwner('drop function no_erasing cascade')
    await using _another = await service.startAnother()
    expect(await uploads()).toEqual([])
    expect(existsSync(filesOnDisk(left?.id as string))).toBe(false)
  })

  it('removes uploads of dead and of silent processes, and leaves living ones alone', async () => {
    const { hostname } = await import('node:os')
    const { mkdirSync, writeFileSync } = await import('node:fs')
    const [{ storage_id }] = (await service.asOwner('select storage_id from shares limit 1')) as [
      { storage_id: string },
    ]
    const alive = { host: hostname(), pid: process.pid, startedAt: null }
    const insert = async (uploader: object, touched: string) => {
      const id = randomUUID()
      mkdirSync(filesOnDisk(id))
      writeFileSync(join(filesOnDisk(id), 'part'), 'x')
      await service.asOwner(
        `insert into shares (id, account_id, status, storage_id, uploader, touched_at) values ($1, $2, 'Uploading', $3, $4, ${touched})`,
        [id, service.firstAccount.accountId, storage_id, JSON.stringify(uploader)],
      )
      return id
    }
    const dead = await insert({ ...alive, startedAt: '1' }, 'now()')
    const silent = await insert({ ...alive, host: 'another-machine' }, "now() - interval '3 minutes'")
    const living = await insert(alive, "now() - interval '3 minutes'")
    const elsewhere = await insert({ ...alive, host: 'another-machine' }, 'now()')
    await using _another = await service.startAnother()
    expect([dead, silent, living, elsewhere].map((id) => existsSync(filesOnDisk(id)))).toEqual([
      false,
      false,
      true,
      true,
    ])
    const rows = await service.asOwner('select id from shares where id = any($1)', [[dead, silent, living, elsewhere]])
    expect(rows.map((row) => row['id']).sort()).toEqual([living, elsewhere].sort())
    await service.asOwner("delete from shares where status = 'Uploading'")
  })
})

describe('processes with different data directories', () => {
  it('open each other’s shares, but say plainly that the files are elsewhere, and do not clean what is not theirs', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'patchbay-elsewhere-'))
    try {
      const { copyFileSync } = await import('node:fs')
      for (const file of ['master.key', 'first-account.json'])
        copyFileSync(join(service.dataDir, file), join(dataDir, file))
      await using other = await service.startAnother({ PATCHBAY_DATA_DIR: dataDir })
      const id = await share({ code: 'c' })
      const list = await postShare(other.baseUrl, id, { code: 'c' })
      expect([list.status, fileIds(list.bytes.toString())]).toEqual([200, [expect.any(String)]])
      const answer = await download(other, id, 'c')
      expect([answer.status, answer.bytes.toString()]).toEqual([503, expect.stringContaining('another machine')])
      expect((await download(service, id, 'c')).status).toBe(200)
      expect((await other.manager.get(`/api/DeleteSecureShare/${id}`)).body).toBe(true)
      expect((await download(service, id, 'c')).status).toBe(404)
      expect(existsSync(filesOnDisk(id))).toBe(true)
      await using _cleaner = await service.startAnother()
      expect(existsSync(filesOnDisk(id))).toBe(false)
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  })

  it('that share one directory find the same files', async () => {
    await using other = await service.startAnother()
    const content = randomBytes(300_000)
    const id = (await sendUpload(other.manager, uploadForm([{ name: 'f', content }], { code: 'c' }))).body
    const got = await download(service, id, 'c')
    const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
    expect(digest(got.bytes)).toBe(digest(content))
  })
})
