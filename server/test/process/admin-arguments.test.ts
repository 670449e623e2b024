import { describe, expect, it } from 'vitest'
import { readAdminCommand } from '../../src/admin-arguments.ts'
import { startProgram } from '../harness/program.ts'

const refusal = (...args: string[]): string[] => {
  try {
    return [JSON.stringify(readAdminCommand(args))]
  } catch (error) {
    return (error as Error).message.split('\n')
  }
}

describe('npm run admin', () => {
  it.each([
    [['backup'], 'backup needs --to FILE.', 'Usage: npm run admin -- backup --to FILE'],
    [
      ['create-organization', '--name', 'Own'],
      'create-organization needs --email EMAIL.',
      'Usage: npm run admin -- create-organization --name NAME --email EMAIL',
    ],
    [
      ['move-organization'],
      'move-organization needs --organization NAME_OR_ID and --to FILE.',
      'Usage: npm run admin -- move-organization --organization NAME_OR_ID --to FILE [--wait SECONDS] [--take-back]',
    ],
    [['unlock-account', '--email', ''], 'unlock-account needs --email EMAIL.', expect.any(String)],
    [['sizes', '--to', 'x'], 'sizes does not take --to.', 'Usage: npm run admin -- sizes'],
    [['restore', 'file'], 'Unexpected "file" after restore.', 'Usage: npm run admin -- restore --from FILE'],
  ])('%j is told what is wrong', (args, sentence, usage) => {
    expect(refusal(...args)).toEqual([sentence, usage])
  })

  it.each([
    [[], 'Name a command.'],
    [['toString'], 'Unknown command "toString".'],
    [['backup', '--too', 'x'], "Unknown option '--too'."],
    [['backup', '--to'], "Option '--to <value>' argument missing."],
  ])('%j is told what is wrong, and which commands there are', (args, sentence) => {
    const [first, second, ...lines] = refusal(...args)
    expect([first, second]).toEqual([sentence, 'Usage:'])
    expect(lines).toHaveLength(10)
  })

  it('hands on what is right', () => {
    expect(readAdminCommand(['backup', '--to', 'x'])).toEqual({ name: 'backup', values: { to: 'x' } })
    const moved = readAdminCommand(['move-organization', '--organization', 'O', '--to', 'f', '--take-back'])
    expect(moved).toMatchObject({ values: { organization: 'O', to: 'f', 'take-back': true } })
  })

  it('explains itself and ends with 0; a mistake ends with 1', async () => {
    await using help = startProgram('admin', ['--help'], { PATCHBAY_PORT: 'none' })
    expect(await help.ended).toBe(0)
    expect(help.output()).toMatch(/^Usage:\n {2}npm run admin -- create-organization/)
    await using ofOne = startProgram('admin', ['backup', '-h'], {})
    expect([await ofOne.ended, ofOne.output()]).toEqual([0, 'Usage: npm run admin -- backup --to FILE\n'])
    await using wrong = startProgram('admin', ['restore'], {})
    expect([await wrong.ended, wrong.output()]).toEqual([
      1,
      'restore needs --from FILE.\nUsage: npm run admin -- restore --from FILE\n',
    ])
  })
})
