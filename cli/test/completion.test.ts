// Completion as the shells use it: the script is loaded, and asked for what comes next.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { newFolder, runCommand, runProgram } from './harness/command.ts'

const folder = newFolder()
const file = (shell: string) => join(folder, `patchbay.${shell}`)

describe('completion', { timeout: 60_000 }, () => {
  beforeAll(async () => {
    await Promise.all(
      ['bash', 'zsh', 'fish'].map(async (shell) => {
        const ended = await runCommand(['completion', shell])
        expect(ended).toMatchObject({ code: 0, stderr: '' })
        writeFileSync(file(shell), ended.stdout)
      }),
    )
  })

  async function offered(...words: string[]): Promise<string[]> {
    const given = words.map((word) => `'${word}'`).join(' ')
    const script = `source ${file('bash')}\nCOMP_WORDS=(patchbay ${given})\nCOMP_CWORD=${words.length}\n_patchbay\nprintf '%s\n' "\${COMPREPLY[@]}"`
    const ended = await runProgram('bash', ['--norc', '-c', script])
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    return ended.stdout.trim().split('\n')
  }

  it('offers verbs and options, also after arguments and options with values', async () => {
    expect(await offered('pu')).toEqual(['pull', 'push'])
    expect(await offered('vault', '')).toEqual(expect.arrayContaining(['get', 'set', 'rm', 'ls', '--json']))
    expect(await offered('run', 'Orders', '--f')).toEqual(['--follow', '--from'])
    expect(await offered('--profile', 'work', 'deplo')).toEqual(['deploy'])
    expect(await offered('webhook', 'send', 'Orders', '--da')).toEqual(['--data'])
    expect(await offered('push', '--acc')).toEqual(['--account'])
  })

  const others = ['zsh', 'fish'].filter((shell) => spawnSync(shell, ['--version']).status === 0)
  it('is loaded without a complaint by the other shells that are installed here', async () => {
    for (const shell of others) {
      const ended = await runProgram(shell, ['-c', `source ${file(shell)}`], { TERM: 'dumb' })
      expect([shell, ended]).toEqual([shell, { code: 0, stdout: '', stderr: '' }])
    }
  })

  it('refuses a shell that it does not know', async () => {
    expect(await runCommand(['completion', 'powershell'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'Unknown shell "powershell". Use bash, zsh or fish.\n',
    })
  })
})
