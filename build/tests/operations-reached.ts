// Which operations a change can touch, and which tests call them. The contract says how each is called, routes.ts of a room who handles it.
import type { SourceGraph } from './source-graph.ts'

type Operation = {
  name: string
  method: string /** The first part of its path below /api. */
  head: string
  files: string[]
}

export function listOperations(graph: SourceGraph): Operation[] {
  const declared = graph.files
    .filter((file) => /^contract\/src\//.test(file))
    .flatMap((file) => declaredIn(graph, file))
  const byName = new Map(declared.map((one) => [one.name, one]))
  const routes = graph.files.filter(
    (file) => /^server\/src\/.*\.ts$/.test(file) && graph.textOf(file).includes('HandlersOf<'),
  )
  for (const file of routes) {
    const names = graph.namesIn(file)
    const handlers = [...graph.textOf(file).matchAll(/^ {4}(\w+)(?::|,|\()([\s\S]*?)(?=^ {4}\w|^ {2}\})/gm)]
    for (const [, name = '', handler = ''] of handlers) {
      const used = new Set((handler.match(/\w+/g) ?? []).flatMap((word) => names.get(word) ?? []))
      byName.get(name)?.files.push(file, ...used)
    }
  }
  return declared
}

function declaredIn(graph: SourceGraph, file: string): Operation[] {
  const found = graph.textOf(file).matchAll(/name: '(\w+)',[\s\S]*?method: '(\w+)',\s*path: '\/(?:api\/)?(\w+)/g)
  return [...found].map(([, name = '', method = '', head = '']) => ({ name, method, head, files: [file] }))
}

/** Names of the operations that a test calls. Helpers that it shares with others are not looked into: those others would be found as well. */
export function operationsCalledIn(text: string, operations: readonly Operation[]): Set<string> {
  const called = new Set<string>()
  const calls = [...text.matchAll(/(?:\.(get|post)\(\s*)?[`'"]\/(?:api\/)?(\w+)/g)]
  const words = new Set(text.match(/(?<=['"`.])[A-Z]\w+(?=['"`(])/g) ?? [])
  for (const { name, method, head } of operations) {
    const isCalled = calls.some(
      ([, how, where]) => where === head && (how === undefined || how.toUpperCase() === method),
    )
    if (isCalled || words.has(name)) called.add(name)
  }
  return called
}
