import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { findBlock, runScript, runTemplate } from './run-template.ts'
import { type Received, type Reply, startStandIn } from './stand-in.ts'

const credentials = { host: 'contoso.example', sitePath: '/sites/Team Å' }
const root = 'sites/contoso.example:/sites/Team Å:/drive/root'
const block = (name: string) => findBlock('SHPT', name).script

/** A library that keeps files by path and takes large ones through upload sessions, part by part. */
function library() {
  const files = new Map<string, Buffer>()
  const parts: string[] = []
  let pending = { path: '', bytes: Buffer.alloc(0) }
  const handle = ({ app, method, path, headers, body }: Received, origin: string): Reply => {
    if (app === 'upload') {
      const [, start, end, total] = /bytes (\d+)-(\d+)\/(\d+)/.exec(String(headers['content-range'])) ?? []
      parts.push(`${start}-${end}`)
      if (Number(start) !== pending.bytes.length || body.length !== Number(end) - Number(start) + 1)
        return { status: 416, json: {} }
      pending.bytes = Buffer.concat([pending.bytes, body])
      if (pending.bytes.length < Number(total))
        return { status: 202, json: { nextExpectedRanges: [`${pending.bytes.length}-`] } }
      files.set(pending.path, pending.bytes)
      return { status: 201, json: { id: '1', name: pending.path } }
    }
    const named = new RegExp(`^${root}:/(.*?)(:/(content|createUploadSession|children))?$`).exec(path)
    const file = named?.[1] ?? ''
    if (named?.[3] === 'createUploadSession') {
      pending = { path: file, bytes: Buffer.alloc(0) }
      return { json: { uploadUrl: `${origin}/upload/session?tempauth=x` } }
    }
    if (named?.[3] === 'content' && method === 'PUT') {
      files.set(file, body)
      return { status: 201, json: { id: '1', name: file, size: body.length } }
    }
    const known = files.get(file)
    if (method === 'DELETE') return files.delete(file) ? { status: 204 } : { status: 404, json: {} }
    return known ? { bytes: known } : { status: 404, json: {} }
  }
  return { files, parts, handle }
}

describe('the document library blocks', () => {
  it('upload a large file in parts and read back the same bytes', async () => {
    const { files, parts, handle } = library()
    await using standIn = await startStandIn(handle, credentials)
    const content = randomBytes(9_000_001)
    const source = { fileName: 'big file.bin', contentBase64: content.toString('base64') }
    await runScript(block('Upload file'), [source], { folder: 'Reports/2025' }, { api: standIn.api })
    expect(files.get('Reports/2025/big file.bin')?.equals(content)).toBe(true)
    expect(parts).toEqual(['0-3932159', '3932160-7864319', '7864320-9000000'])
    const { result } = await runScript(
      block('Read file'),
      [],
      { path: 'Reports/2025/big file.bin' },
      { api: standIn.api },
    )
    expect(Buffer.from(result.contentBase64, 'base64').equals(content)).toBe(true)
  })

  it('upload small files and text in one request each, and delete them without minding a second time', async () => {
    const { files, parts, handle } = library()
    await using standIn = await startStandIn(handle, credentials)
    const sources = [
      { fileName: 'a.txt', text: 'Hellø' },
      { fileName: 'empty', contentBase64: '' },
    ]
    await runScript(block('Upload file'), [sources], {}, { api: standIn.api })
    expect(files.get('a.txt')?.toString()).toBe('Hellø')
    expect(files.get('empty')?.length).toBe(0)
    expect(parts).toEqual([])
    const remove = () => runScript(block('Delete file'), [], { path: '/a.txt' }, { api: standIn.api })
    expect((await remove()).result.deleted).toBe(true)
    expect((await remove()).result.deleted).toBe(false)
  })

  it('list every page of a folder', async () => {
    await using standIn = await startStandIn(({ app, path }, origin) => {
      if (app === 'next') return { json: { value: [{ id: '2', name: 'b', folder: {} }] } }
      expect(path).toBe(`${root}:/Reports:/children`)
      return {
        json: { value: [{ id: '1', name: 'a.txt', size: 3 }], '@odata.nextLink': `${origin}/next/page?$skiptoken=1` },
      }
    }, credentials)
    const { result } = await runScript(block('List files'), [], { folder: 'Reports/' }, { api: standIn.api })
    expect(result).toMatchObject([
      { path: 'Reports/a.txt', isFolder: false },
      { path: 'Reports/b', isFolder: true },
    ])
  })

  it('search with the words as data, in a library found by its name', async () => {
    await using standIn = await startStandIn(({ path }) => {
      if (path.endsWith('/drives')) return { json: { value: [{ id: 'D1', name: 'Archive' }] } }
      expect(path).toBe("drives/D1/root/search(q='it''s')")
      return { json: { value: [] } }
    }, credentials)
    const { result } = await runScript(
      block('Search files'),
      [],
      { query: "it's", library: 'archive' },
      { api: standIn.api },
    )
    expect(result).toEqual([])
    const missing = runScript(block('Search files'), [], { query: 'x', library: 'none' }, { api: standIn.api })
    await expect(missing).rejects.toThrow('no library "none"')
  })

  it('make each missing folder and accept those that exist', async () => {
    await using standIn = await startStandIn(({ method, path, json }) => {
      if (method === 'POST')
        return path === `${root}/children`
          ? { status: 409, json: {} }
          : { status: 201, json: { id: 'new', name: json()['name'] } }
      return { json: { id: 'old', name: 'Reports' } }
    }, credentials)
    const { result } = await runScript(block('Create folder'), [], { folder: 'Reports/2025' }, { api: standIn.api })
    expect(result).toMatchObject({ id: 'new', path: 'Reports/2025' })
  })

  it('move a file by the id of its new folder', async () => {
    await using standIn = await startStandIn(({ method, json }) => {
      if (method === 'GET') return { json: { id: 'F' } }
      expect(json()).toEqual({ name: 'b.txt', parentReference: { id: 'F' } })
      return { json: { id: '1', name: 'b.txt' } }
    }, credentials)
    const given = { path: 'a.txt', targetFolder: 'Old', newName: 'b.txt' }
    expect((await runScript(block('Move file'), [], given, { api: standIn.api })).result.name).toBe('b.txt')
  })

  it('keep a fetched file unchanged in the workflow template', async () => {
    const { files, handle } = library()
    const content = randomBytes(1000)
    await using standIn = await startStandIn(
      (request, origin) => (request.app === 'HTTP' ? { bytes: content } : handle(request, origin)),
      credentials,
    )
    const variables = { filePath: 'export/file.bin', fileName: 'export {{date}}.bin', folder: 'In' }
    await runTemplate('File to document library', { api: standIn.api, variables })
    expect([...files.keys()][0]).toMatch(/^In\/export \d{4}-\d{2}-\d{2}\.bin$/)
    expect([...files.values()][0]?.equals(content)).toBe(true)
  })
})
