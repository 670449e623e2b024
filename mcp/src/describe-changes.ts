// What a proposed body would change in a workflow, with scripts as lines that go and lines that come.
import { isDeepStrictEqual } from 'node:util'
import { diffPatch } from 'node-diff3'
import type { Workflow } from './find-workflow.ts'

export type ProposedChange = { path: string; from?: unknown; to?: unknown; lines?: string[] }

type Fields = Record<string, unknown>

export function describeChanges(workflow: Workflow, body: object): ProposedChange[] {
  const {
    chain = [],
    variables = {},
    applications = {},
    ...fields
  } = body as {
    chain?: Fields[]
    variables?: Fields
    applications?: Fields
  }
  const blocks = new Map(workflow.chain.map((block) => [block.uniqueBlockId, block as Fields]))
  return [
    ...compare('', workflow as unknown as Fields, fields),
    ...compare('applications.', workflow.applications, applications),
    ...compare('variables.', valuesOf(workflow.variables), valuesOf(variables)),
    ...chain.flatMap(({ uniqueBlockId, ...block }) => {
      const current = blocks.get(String(uniqueBlockId).toLowerCase())
      const name = String(current?.['blockName'] ?? block['blockName'] ?? 'new block')
      return current ? compare(`blocks.${name}.`, current, block) : [{ path: `blocks.${name}`, from: null, to: block }]
    }),
  ]
}

function compare(prefix: string, from: Fields, to: Fields): ProposedChange[] {
  return Object.entries(to)
    .filter(([name, value]) => !isDeepStrictEqual(from[name] ?? null, value ?? null))
    .map(([name, value]) => {
      const path = prefix + name
      return name === 'script' && typeof value === 'string'
        ? { path, lines: diffLines(String(from[name] ?? ''), value) }
        : { path, from: from[name] ?? null, to: value }
    })
}

/** `{value}` and the bare value mean the same. */
function valuesOf(variables: object): Fields {
  return Object.fromEntries(
    Object.entries(variables).map(([name, given]) => [
      name,
      typeof given === 'object' && given !== null && 'value' in given ? given.value : given,
    ]),
  )
}

/** As `diff` writes them: where, then lines with - and +. */
function diffLines(from: string, to: string): string[] {
  return diffPatch(from.split('\n'), to.split('\n')).flatMap(({ buffer1, buffer2 }) => [
    `@@ -${buffer1.offset + 1},${buffer1.length} +${buffer2.offset + 1},${buffer2.length} @@`,
    ...buffer1.chunk.map((line) => `- ${line}`),
    ...buffer2.chunk.map((line) => `+ ${line}`),
  ])
}
