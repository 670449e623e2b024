import { describe, expect, it } from 'vitest'
import { ImportTurns } from '../../src/catalog/change/import-turns.ts'

/** Imports that last until they are let go, by the names of their organizations. */
function begin() {
  const turns = new ImportTurns()
  const reading: { name: string; end(): void }[] = []
  const ends: string[] = []
  return {
    reading: () => reading.map(({ name }) => name).join(''),
    ends: () => ends.join(''),
    bring: (name: string, accountId = name) =>
      turns.take({ organizationId: name, accountId }, async () => {
        const { promise, resolve } = Promise.withResolvers<void>()
        reading.push({ name, end: resolve })
        await promise
        ends.push(name)
      }),
    async endFirst() {
      await settled()
      reading.shift()?.end()
      await settled()
    },
    async endAll() {
      await settled()
      while (reading.length > 0) await this.endFirst()
    },
  }
}

const settled = () => new Promise((done) => setImmediate(done))

describe('imports', () => {
  it('of one organization are read one after the other, beside those of another', async () => {
    const imports = begin()
    const all = ['a', 'a', 'a', 'b'].map((name) => imports.bring(name))
    await imports.endFirst()
    expect([imports.ends(), imports.reading()]).toEqual(['a', 'ba'])
    await imports.endAll()
    await Promise.all(all)
  })

  it('of an organization with one wait for one of each other, however many those have', async () => {
    const imports = begin()
    const all = [...'aaaaaaaabbbbbbbbc'].map((name) => imports.bring(name))
    while (!imports.ends().includes('c')) await imports.endFirst()
    expect(imports.ends().length).toBeLessThan(6)
    await imports.endAll()
    await Promise.all(all)
  })

  it('of an account or organization beyond its share are refused, and others are taken', async () => {
    const imports = begin()
    const all = Array.from({ length: 10 }, (_, index) => imports.bring('a', `account ${index}`))
    await expect(imports.bring('a', 'another')).rejects.toThrow('This account or organization has too many imports')
    all.push(imports.bring('b'))
    await imports.endAll()
    await Promise.all(all)
    const again = imports.bring('a')
    await imports.endAll()
    await again
  })
})
