import { appendFileSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { stripGuest } from '../../../build/strip-guest.ts'
import { findGuestProgram, guestSources } from '../../src/sandbox/walls/guest-program.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'patchbay-guest-')))
afterAll(() => rmSync(folder, { recursive: true }))

const copy = join(folder, 'guest-copy')
const sources = join(guestSources, 'guest/main.ts')

it('script processes start from sources where no copy without types was made', () => {
  expect(findGuestProgram(copy)).toBe(sources)
})
it('script processes start from the copy that was made from these sources', () => {
  stripGuest(copy)
  expect(findGuestProgram(copy)).toBe(join(copy, 'guest/main.js'))
})
it('script processes do not start from a copy of other sources', () => {
  writeFileSync(join(copy, 'stamp'), 'made from what was here yesterday')
  expect(findGuestProgram(copy)).toBe(sources)
})
it('script processes do not start from a copy that was changed, and it is made again', () => {
  stripGuest(copy)
  appendFileSync(join(copy, 'protocol.js'), '// One more line.\n')
  expect(findGuestProgram(copy)).toBe(sources)
  stripGuest(copy)
  expect(findGuestProgram(copy)).toBe(join(copy, 'guest/main.js'))
})
it('the tests run what npm ci makes', () => {
  expect(findGuestProgram()).toMatch(/node_modules\/\.patchbay\/guest\/guest\/main\.js$/)
})
