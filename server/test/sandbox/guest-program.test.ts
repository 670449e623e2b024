import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { findGuestProgram, guestSources, stampGuestSources } from '../../src/sandbox/walls/guest-program.ts'

const copy = mkdtempSync(join(tmpdir(), 'patchbay-guest-'))
afterAll(() => rmSync(copy, { recursive: true }))

const sources = join(guestSources, 'guest/main.ts')
const stamp = (text: string) => writeFileSync(join(copy, 'stamp'), text)

it('script processes start from sources where no copy without types was made', () => {
  expect(findGuestProgram(copy)).toBe(sources)
})
it('script processes do not start from a copy of other sources', () => {
  stamp('made from what was here yesterday')
  expect(findGuestProgram(copy)).toBe(sources)
})
it('script processes start from the copy that was made from these sources', () => {
  stamp(stampGuestSources())
  expect(findGuestProgram(copy)).toBe(join(copy, 'guest/main.js'))
})
