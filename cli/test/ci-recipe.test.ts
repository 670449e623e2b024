// The recipe of docs/ci.md, step by step as GitHub Actions runs it.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { joinService } from '../../server/test/harness/joined-service.ts'
import type { TestService } from '../../server/test/harness/service.ts'
import { bin, environmentOf, newFolder, runCommand, runProgram } from './harness/command.ts'

type Recipe = { jobs: Record<'check' | 'deliver', { steps: { run?: string }[] }> }

const page = readFileSync(new URL('../../docs/ci.md', import.meta.url), 'utf8')
const { jobs } = parse(page.match(/```yaml\n([\s\S]*?)```/)?.[1] ?? '') as Recipe

describe('the recipe for CI', () => {
  let service: TestService
  const root = newFolder()
  const summary = join(root, 'summary.md')
  beforeAll(async () => {
    service = await joinService()
    await runCommand(['init'], { cwd: root })
    // `npm ci` has been done: npx finds the command.
    mkdirSync(join(root, '.tools'))
    writeFileSync(join(root, '.tools/npx'), `#!/bin/sh\nshift\nexec "${process.execPath}" "${bin}" "$@"\n`)
    chmodSync(join(root, '.tools/npx'), 0o755)
  })
  afterAll(() => service[Symbol.asyncDispose]())

  /** Up to the first step that fails, whose exit code is the answer. */
  async function runJob(name: keyof typeof jobs, more: Record<string, string> = {}): Promise<number | null> {
    const PATH = `${join(root, '.tools')}:${process.env['PATH']}`
    const env = { ...environmentOf(service), PATH, GITHUB_STEP_SUMMARY: summary, ...more }
    for (const { run } of jobs[name].steps) {
      if (run === undefined || run === 'npm ci') continue
      const { code } = await runProgram('bash', ['-e', '-c', run], env, root)
      if (code !== 0) return code
    }
    return 0
  }
  const states = async () =>
    (await service.manager.get('/api/Workflows')).body.map((one: Record<string, unknown>) => [
      one['name'],
      one['workflowState'],
      one['revision'],
    ])

  it('tests and compares on a pull request, pushes and deploys on a merge', async () => {
    expect(await runJob('check')).toBe(0)
    expect(readFileSync(join(root, 'report.xml'), 'utf8')).toContain('failures="0"')
    expect(readFileSync(summary, 'utf8')).toBe('+ "Hello" is new\n')
    expect(await states()).toEqual([])
    expect(await runJob('deliver')).toBe(0)
    expect(await states()).toEqual([['Hello', 'deployed', 1]])
    expect(await runJob('deliver')).toBe(0)
    expect(await states()).toEqual([['Hello', 'deployed', 1]])
  })

  it('stops at the first step that fails', async () => {
    expect(await runJob('deliver', { PATCHBAY_SECRET_KEY: 'wrong' })).toBe(1)
    writeFileSync(join(root, 'hello/blocks/greet.js'), 'return (\n')
    expect([await runJob('check'), await runJob('deliver')]).toEqual([1, 1])
    expect(await states()).toEqual([['Hello', 'deployed', 1]])
  })
})
