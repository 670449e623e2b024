// Completion as the shells use it: the script is loaded, and asked for what comes next.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { newFolder, runCommand, runProgram } from './harness/command.ts'

const folder = newFolder()
const file = (shell: string) => join(folder, `patchbay.${shell}`)

describe('completion', () => {
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

  const ask = {
    zsh: (place: string) =>
      `source ${place}; setopt ksharrays; COMP_WORDS=(patchbay run Orders --f); COMP_CWORD=3; _patchbay; print -rl -- "\${COMPREPLY[@]}"`,
    fish: (place: string) => `source ${place}; complete -C 'patchbay run Orders --f' | string replace -r '\\t.*' ''`,
  }
  const isHere = (shell: string) => spawnSync(shell, ['--version']).status === 0
  it.each(Object.keys(ask).filter(isHere) as (keyof typeof ask)[])('offers the same in %s', async (shell) => {
    const ended = await runProgram(shell, ['-c', ask[shell](file(shell))], { TERM: 'dumb' })
    // What does not begin like the word is left out by zsh itself.
    const offers = ended.stdout.split('\n').filter((word) => word.startsWith('--f'))
    expect([offers, ended.code, ended.stderr]).toEqual([['--follow', '--from'], 0, ''])
  })

  it('refuses a shell that it does not know', async () => {
    expect(await runCommand(['completion', 'powershell'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'Unknown shell "powershell". Use bash, zsh or fish.\n',
    })
  })
})
