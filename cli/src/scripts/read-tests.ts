import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { checkShape } from '../folders/check-shape.ts'
import type { PortableFlow } from '../folders/portable.ts'
import type { WorkflowFolder } from '../folders/read-folder.ts'
import { readYaml } from '../folders/read-yaml.ts'
import { refuseLinks } from '../folders/refuse-links.ts'
import { testSchema } from './test-schema.ts'
import type { TestInput } from './tester.ts'

export type ExpectedCall = string | { method?: string; url: string; data?: unknown }
export type ExpectedResponse = { statusCode?: number; headers?: Record<string, string>; body?: unknown }
export type Expectation = {
  result?: unknown
  error?: string
  calls?: ExpectedCall[]
  log?: string[]
  skipped?: boolean
  response?: ExpectedResponse
}

/** A file of tests/. */
export type TestFile = {
  name?: string
  block: string
  datasource?: unknown[]
  variables?: Record<string, unknown>
  webhook?: unknown
  dateLastRun?: string | null
  session?: Record<string, unknown>
  vault?: Record<string, unknown>
  vaultGlobal?: Record<string, unknown>
  answers?: NonNullable<TestInput['recordedAnswers']>
  timeoutSeconds?: number
  input?: unknown
  try?: number
  error?: unknown
  item?: unknown
  index?: number
  items?: unknown[]
  expect: Expectation
}

export type BlockTest = { workflow: string; file: string; name: string; body: TestInput; expect: Expectation }

export function readTests({ folder, workflow }: WorkflowFolder, cwd: string): BlockTest[] {
  const tests = join(folder, 'tests')
  if (!existsSync(tests)) return []
  return readdirSync(tests)
    .filter((file) => /\.ya?ml$/.test(file))
    .toSorted()
    .map((name) => {
      const path = join(tests, name)
      const file = relative(cwd, path)
      refuseLinks(folder, path)
      const read = readYaml(file, readFileSync(path, 'utf8'))
      const mismatch = checkShape(testSchema, read.value)
      if (mismatch) throw read.wrong(mismatch.path, mismatch.sentence)
      const test = read.value as TestFile
      const block = workflow.blocks.find(({ key, name: blockName }) => key === test.block || blockName === test.block)
      if (!block) {
        const keys = workflow.blocks.map(({ key }) => key).join(', ')
        throw read.wrong(['block'], `"${workflow.name}" has no block "${test.block}". Expected one of: ${keys}.`)
      }
      return {
        workflow: workflow.name,
        file,
        name: test.name ?? name.replace(/\.ya?ml$/, ''),
        body: { ...toBody(test, block.script), ...flowOfTest(test, block) },
        expect: test.expect,
      }
    })
}

/** The condition and the items of the block, as far as the test is about them. */
function flowOfTest(test: TestFile, { runWhen, forEach, needs }: PortableFlow): Partial<TestInput> {
  const { key, batchSize } = (forEach ?? {}) as { key?: string; batchSize?: number }
  const hasItems = test.item !== undefined || test.items !== undefined
  const isHandled = needs === 'failed' && test.error !== undefined && test.datasource === undefined
  return {
    ...(typeof runWhen === 'string' ? { runWhen } : {}),
    ...(hasItems && forEach ? { forEach: { ...(key ? { key } : {}), ...(batchSize ? { batchSize } : {}) } } : {}),
    ...(isHandled ? { dataSources: [{ error: test.error }] } : {}),
  }
}

export function toBody(test: Omit<TestFile, 'expect'>, script: string): TestInput {
  return {
    script,
    ...(test.datasource ? { dataSources: test.datasource } : {}),
    ...(test.variables ? { variables: test.variables } : {}),
    ...(test.session ? { sessionVars: test.session } : {}),
    ...(test.webhook === undefined ? {} : { webhook: test.webhook }),
    ...(test.dateLastRun === undefined ? {} : { dateLastRun: test.dateLastRun }),
    ...(test.vault ? { vault: test.vault } : {}),
    ...(test.vaultGlobal ? { vaultGlobal: test.vaultGlobal } : {}),
    ...(test.answers ? { recordedAnswers: test.answers } : {}),
    ...given('input', test.input),
    ...given('try', test.try),
    ...given('error', test.error),
    ...given('item', test.item),
    ...given('index', test.index),
    ...given('items', test.items),
    ...(test.timeoutSeconds === undefined ? {} : { timeoutSeconds: test.timeoutSeconds }),
  }
}

function given<Name extends keyof TestInput>(name: Name, value: TestInput[Name]): Partial<TestInput> {
  return value === undefined ? {} : ({ [name]: value } as Partial<TestInput>)
}
