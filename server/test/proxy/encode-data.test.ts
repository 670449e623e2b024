import { describe, expect, it } from 'vitest'
import { encodeData } from '../../src/proxy/encode-data.ts'

const form = (data: Parameters<typeof encodeData>[1]) => {
  const { body } = encodeData('POST', data, { 'Content-Type': 'application/x-www-form-urlencoded' })
  return [...new URLSearchParams(String(body))]
}

describe('a form', () => {
  it('writes objects and lists of objects with brackets', () => {
    expect(form({ items: [{ price: 'p_1', quantity: 2 }, { price: 'p_2' }], metadata: { order: '4711' } })).toEqual([
      ['items[0][price]', 'p_1'],
      ['items[0][quantity]', '2'],
      ['items[1][price]', 'p_2'],
      ['metadata[order]', '4711'],
    ])
  })

  it('repeats the name of a list of plain values, and numbers one within an object', () => {
    expect(form({ tag: ['a', 'b'], filter: { tag: ['a', 'b'] } })).toEqual([
      ['tag', 'a'],
      ['tag', 'b'],
      ['filter[tag][0]', 'a'],
      ['filter[tag][1]', 'b'],
    ])
  })

  it('leaves out null, empty lists and empty objects, and keeps false, zero and empty text', () => {
    expect(form({ none: null, list: [], object: {}, deep: [{ a: null }], no: false, zero: 0, text: '' })).toEqual([
      ['no', 'false'],
      ['zero', '0'],
      ['text', ''],
    ])
  })

  it.each([[['a']], [7]])('refuses %j, which has no names', (data) => {
    expect(() => form(data)).toThrow('must be an object')
  })

  it('refuses what is nested without end', () => {
    let deep: Parameters<typeof encodeData>[1] = 'x'
    for (let count = 0; count < 60; count += 1) deep = { a: deep }
    expect(() => form(deep)).toThrow('too deeply')
  })
})

describe('a multipart body', () => {
  const multipart = async (data: Parameters<typeof encodeData>[1]) => {
    const { headers, body } = encodeData('POST', data, { 'Content-Type': 'multipart/form-data' })
    return new Response(new Uint8Array(body as Buffer), {
      headers: { 'content-type': headers['content-type'] ?? '' },
    }).formData()
  }

  it('has a part per field; files have a name, a type and their bytes', async () => {
    const bytes = Buffer.from([0, 13, 10, 45, 45, 255])
    const read = await multipart({
      title: 'Årsrapport',
      tag: ['a', 'b'],
      meta: { year: 2026 },
      none: null,
      file: { $base64: bytes.toString('base64'), fileName: 'a "b".bin', contentType: 'image/png' },
      plain: { $base64: '' },
    })
    expect(read.get('title')).toBe('Årsrapport')
    expect(read.getAll('tag')).toEqual(['a', 'b'])
    expect(read.get('meta')).toBe(`{"year":2026}`)
    expect(read.has('none')).toBe(false)
    const file = read.get('file') as File
    expect([file.name, file.type, Buffer.from(await file.arrayBuffer())]).toEqual(['a "b".bin', 'image/png', bytes])
    expect([(read.get('plain') as File).type, (read.get('plain') as File).size]).toEqual([
      'application/octet-stream',
      0,
    ])
  })

  it.each([
    [{ file: { $base64: '***' } }, 'base64'],
    [{ file: { $base64: '', fileName: 'a\r\nX-Evil: 1' } }, 'one line'],
    [{ file: { $base64: '', contentType: 'a\nb' } }, 'one line'],
    [['a'], 'must be an object'],
  ])('refuses %j', async (data, words) => {
    await expect(multipart(data)).rejects.toThrow(words)
  })

  it('goes out as it is when it is text already', () => {
    const headers = { 'Content-Type': 'multipart/form-data; boundary=x' }
    expect(encodeData('POST', '--x--', headers).body).toBe('--x--')
  })
})
