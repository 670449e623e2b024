// Backups that cannot be made, read or restored: one sentence each, and nothing half done.
import { execFileSync } from 'node:child_process'
import {
  createWriteStream,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeBackupFile } from '../../src/backup/backup-file.ts'
import { type Head, writeHead } from '../../src/backup/sections.ts'
import { programFile } from '../harness/program.ts'
import { adminHere, emptyEmbedded, emptyOnServer, type Installation } from '../harness/restored.ts'
import { startService, type TestService } from '../harness/service.ts'
import { download, hello, shareFiles } from '../harness/upload.ts'

const directory = mkdtempSync(join(tmpdir(), 'patchbay-backup-'))
const sealed = join(directory, 'sealed')
const plain = join(directory, 'plain')
const pass = { PATCHBAY_BACKUP_PASSPHRASE: 'a passphrase' }
const root = fileURLToPath(new URL('../../../', import.meta.url))

let service: TestService
let ofService: Record<string, string>
let empty: Installation
beforeAll(async () => {
  service = await startService({ role: 'api', env: { PATCHBAY_STORAGE_URL: 'database:' } })
  ofService = {
    PATCHBAY_DATABASE_URL: service.databaseUrl,
    PATCHBAY_DATA_DIR: service.dataDir,
    PATCHBAY_STORAGE_URL: 'database:',
  }
  empty = await emptyOnServer()
})
afterAll(async () => {
  await empty[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
  rmSync(directory, { recursive: true, force: true })
})

const isUntouched = async () =>
  (await empty.query<{ n: string | null }>("select to_regnamespace('patchbay')::text as n", false))[0]?.n === null

it('a share in the database goes into the backup and comes out in a directory', async () => {
  const id = await shareFiles(service.manager, { code: 'c' })
  expect(await adminHere('backup', sealed, { ...ofService, ...pass })).toMatchObject({ code: 0 })
  const made = await adminHere('backup', plain, ofService)
  expect(made).toMatchObject({ code: 0, output: expect.stringContaining('It is NOT encrypted') })
  expect(made.output).toContain('keep the key as well')

  await using place = emptyEmbedded()
  const key = join(service.dataDir, 'master.key')
  expect(await adminHere('restore', plain, place.env)).toMatchObject({
    code: 1,
    output: expect.stringContaining('does not hold its master key'),
  })
  expect(existsSync(place.dataDir)).toBe(false)
  const withKey = { ...place.env, PATCHBAY_MASTER_KEY: readFileSync(key, 'utf8').trim() }
  expect(await adminHere('restore', plain, withKey)).toMatchObject({ code: 0 })
  expect(readdirSync(join(place.dataDir, 'shares')).sort()).toEqual([id, 'storage-id'].sort())
  expect((await download(service, id, 'c')).bytes.toString()).toBe(hello.content)
})

it('verify-backup reads to the end, with the passphrase and not without', async () => {
  expect(await adminHere('verify-backup', sealed, pass)).toMatchObject({
    code: 0,
    output: expect.stringContaining('Complete and undamaged'),
  })
  expect(await adminHere('verify-backup', plain, {})).toMatchObject({ code: 0 })
  expect(await adminHere('verify-backup', sealed, {})).toMatchObject({
    code: 1,
    output: expect.stringContaining('The backup is encrypted. Set PATCHBAY_BACKUP_PASSPHRASE'),
  })
})

it('backup refuses a passphrase that is quickly guessed, and writes nothing', async () => {
  const target = `${sealed}.weak`
  expect(await adminHere('backup', target, { ...ofService, PATCHBAY_BACKUP_PASSPHRASE: 'elevenchars' })).toMatchObject({
    code: 1,
    output: expect.stringContaining('PATCHBAY_BACKUP_PASSPHRASE must have at least 12 characters.'),
  })
  expect(existsSync(target)).toBe(false)
})

describe('restore refuses, and touches nothing:', () => {
  const copies: [string, string, string, (path: string) => void, Record<string, string>][] = [
    [
      'a wrong passphrase',
      'sealed',
      'is not the passphrase of this backup',
      () => {},
      { PATCHBAY_BACKUP_PASSPHRASE: 'x' },
    ],
    [
      'a file cut short',
      'sealed',
      'damaged or incomplete',
      (path) => truncateSync(path, statSync(path).size - 1),
      pass,
    ],
    [
      'a file cut in half',
      'sealed',
      'damaged or incomplete',
      (path) => truncateSync(path, Math.floor(statSync(path).size / 2)),
      pass,
    ],
    ['a flipped bit', 'sealed', 'damaged or incomplete', (path) => flip(path, statSync(path).size - 3000), pass],
    ['a flipped bit in a plain one', 'plain', 'damaged or incomplete', (path) => flip(path, 3000), {}],
    ['another header', 'sealed', 'damaged or incomplete', (path) => rewriteHeader(path), pass],
    ['any other file', 'plain', 'is not a Patchbay backup', (path) => writeFileSync(path, 'PK'), {}],
  ]
  it.each(copies)('%s', async (_, which, sentence, change, env) => {
    const path = join(directory, 'copy')
    writeFileSync(path, readFileSync(join(directory, which)))
    change(path)
    const refused = await adminHere('restore', path, { ...empty.env, ...env })
    expect([refused.code, refused.output]).toEqual([1, expect.stringContaining(sentence)])
    expect(refused.output.trim().split('\n')).toHaveLength(1)
    expect(await isUntouched()).toBe(true)
  })

  it('a backup with migrations that this program does not have', async () => {
    const path = join(directory, 'newer')
    const heads: Head[] = [
      {
        kind: 'manifest',
        manifest: {
          migrations: [{ name: '9999_future', checksum: 'x' }],
          masterKeyIds: [],
          tables: [],
          partitions: [],
          sequences: [],
          storeIds: [],
        },
      },
      { kind: 'end', tables: 0, shares: 0, bytes: 0 },
    ]
    async function* content() {
      for (const head of heads) yield writeHead(head)
    }
    await writeBackupFile(createWriteStream(path), undefined, content())
    const refused = await adminHere('restore', path, empty.env)
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('made by another version of Patchbay') })
    expect(refused.output).toContain('9999_future')
    expect(await isUntouched()).toBe(true)
  })

  it('another master key than the one of the backup', async () => {
    const env = { ...empty.env, ...pass, PATCHBAY_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') }
    const refused = await adminHere('restore', sealed, env)
    expect(refused).toMatchObject({
      code: 1,
      output: expect.stringContaining('is not the one the backup was made with'),
    })
    expect(await isUntouched()).toBe(true)
  })

  it('a filled installation, running or not', async () => {
    expect(await adminHere('restore', sealed, { ...ofService, ...pass })).toMatchObject({
      code: 1,
      output: expect.stringContaining('Patchbay is running on this database'),
    })
    expect(await adminHere('restore', sealed, { ...empty.env, ...pass })).toMatchObject({ code: 0 })
    expect(await adminHere('restore', sealed, { ...empty.env, ...pass })).toMatchObject({
      code: 1,
      output: expect.stringContaining('is not empty'),
    })
  })
})

describe('backup refuses, and leaves no file:', () => {
  it('a name that is taken', async () => {
    const before = readFileSync(sealed)
    expect(await adminHere('backup', sealed, { ...ofService, ...pass })).toMatchObject({
      code: 1,
      output: expect.stringContaining('already exists'),
    })
    expect(readFileSync(sealed).equals(before)).toBe(true)
  })

  it('a directory that is not there, and an installation that is not there', async () => {
    expect(await adminHere('backup', join(directory, 'no/where'), ofService)).toMatchObject({
      code: 1,
      output: expect.stringContaining('cannot be written'),
    })
    expect(
      await adminHere('backup', join(directory, 'none'), { PATCHBAY_DATA_DIR: join(directory, 'nothing') }),
    ).toMatchObject({ code: 1, output: expect.stringContaining('No installation found in') })
  })

  it('a disk that takes no more', () => {
    const path = join(directory, 'full')
    // A limit on the size of files stands in for a disk that is full.
    const run = () =>
      execFileSync(
        'sh',
        ['-c', `ulimit -f 8; exec "${process.execPath}" "${programFile('admin')}" backup --to "${path}"`],
        {
          cwd: root,
          env: { PATH: process.env['PATH'], ...ofService },
          stdio: 'pipe',
        },
      )
    expect(run).toThrow('The backup cannot be written')
    expect(readdirSync(directory).filter((name) => name.startsWith('full'))).toEqual([])
  })
})

function flip(path: string, at: number): void {
  const bytes = readFileSync(path)
  bytes[at] = (bytes[at] as number) ^ 1
  writeFileSync(path, bytes)
}

/** The time in the header, which nothing needs to be able to read the rest. */
function rewriteHeader(path: string): void {
  const bytes = readFileSync(path)
  bytes.write('{"createdAt":"1', 'PATCHBAY BACKUP 1\n'.length)
  writeFileSync(path, bytes)
}
