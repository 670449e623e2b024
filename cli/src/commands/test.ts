import { resolve } from 'node:path'
import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'
import { concurrently } from '../folders/concurrently.ts'
import { readFolders, type WorkflowFolder } from '../folders/read-folder.ts'
import { projectOf } from '../folders/refuse-links.ts'
import { writeWhole } from '../folders/write-files.ts'
import { type Difference, judge } from '../scripts/judge.ts'
import { renderJunit } from '../scripts/junit.ts'
import { type BlockTest, readTests } from '../scripts/read-tests.ts'
import type { Tested } from '../scripts/tested.ts'
import { type Tester, testLocally, testOnService } from '../scripts/tester.ts'
import { readNumber } from './read-number.ts'
import { serviceProgram } from './start.ts'

type Options = { junit?: string; remote?: boolean; record?: string }

const testsAtOnce = 8

function writeReport(cwd: string, given: string, text: string): void {
  const path = resolve(cwd, given)
  writeWhole(projectOf(cwd, path), path, text)
}

export async function test(context: Context, options: Options, folders: string[]): Promise<0 | 1> {
  const { terminal, cwd } = context
  const read = readFolders(cwd, folders)
  if (options.record !== undefined) return record(context, read, options)
  const tests = read.flatMap((folder) => readTests(folder, cwd))
  if (tests.length === 0)
    throw new Failure('No tests found. A test is a file tests/NAME.yaml in the folder of a workflow.')
  await using tester = await openTester(context, options)
  const tested = await concurrently(tests, testsAtOnce, (one) => runTest(tester, one))
  if (options.junit !== undefined) writeReport(cwd, options.junit, renderJunit(tested))
  const failed = tested.filter(({ ok }) => !ok)
  terminal.result(tested, () =>
    [
      ...tested.map(({ ok, file, name, differences }) =>
        [
          `${ok ? terminal.paint('green', 'ok  ') : terminal.paint('red', 'fail')}  ${file}  ${name}`,
          ...differences.map(show),
        ].join('\n'),
      ),
      `${tested.length - failed.length} of ${tested.length} tests passed.`,
    ].join('\n'),
  )
  return failed.length === 0 ? 0 : 1
}

async function record(context: Context, read: readonly WorkflowFolder[], options: Options): Promise<0> {
  const { terminal, cwd } = context
  const [only, ...others] = read
  if (!only || others.length > 0) throw new Failure('--record needs the folder of one workflow. Go there, or name it.')
  const runNumber = readNumber('--record', options.record as string)
  const connection = await context.connect()
  const { recordTests } = await import('../scripts/record-tests.ts')
  await using tester = await openTester(context, options)
  const files = await recordTests(connection, only, { runNumber, tester, cwd })
  terminal.result(files, () => files.map((file) => `Wrote ${file}`).join('\n'))
  return 0
}

async function openTester(context: Context, { remote }: Options): Promise<Tester> {
  return remote ? testOnService((await context.connect()).client) : testLocally(serviceProgram('test-scripts'))
}

async function runTest(tester: Tester, { workflow, file, name, body, expect }: BlockTest): Promise<Tested> {
  const startedAt = performance.now()
  const differences = judge(expect, await tester.test(body))
  return {
    workflow,
    file,
    name,
    ok: differences.length === 0,
    durationMs: Math.round(performance.now() - startedAt),
    differences,
  }
}

function show({ what, expected, actual }: Difference): string {
  const text = (value: unknown) => (JSON.stringify(value, null, 2) ?? 'nothing').replaceAll('\n', '\n        ')
  return `      ${what}\n      - ${text(expected)}\n      + ${text(actual)}`
}
