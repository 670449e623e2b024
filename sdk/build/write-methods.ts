// Writes src/methods.ts from the contract: `npm run methods --workspace sdk`. A mapped type would need no file, but editors show no
// documentation for its members. A test compares the file with the contract.
import { readFileSync, writeFileSync } from 'node:fs'
import { type OperationSpec, operations } from '@patchbay/contract'

const file = new URL('../src/methods.ts', import.meta.url)

/** The text that the file should hold. */
export function renderMethods(): string {
  // The stream is written by hand: its method is an iterator.
  const names = Object.keys(operations).filter((name) => name !== 'Stream') as (keyof typeof operations)[]
  return [
    '// Made from the contract by build/write-methods.ts; change the contract and run `npm run methods --workspace sdk`.',
    "import type { Method } from './request-parts.ts'",
    '',
    '/** One method per operation. */',
    'export type Methods = {',
    ...names.map((name) => `${commentOf(operations[name])}\n  ${methodName(name)}: Method<'${name}'>`),
    '}',
    '',
  ].join('\n')
}

export function readMethods(): string {
  return readFileSync(file, 'utf8')
}

function methodName(operation: string): string {
  return operation.charAt(0).toLowerCase() + operation.slice(1)
}

function commentOf(spec: OperationSpec): string {
  const role = spec.lowestRole ? [`Needs the role ${spec.lowestRole} or a higher one.`] : []
  const example = spec.example?.body === undefined ? [] : [`@example { body: ${JSON.stringify(spec.example.body)} }`]
  const lines = [spec.description, ...role, `${spec.method} ${spec.path}`, ...example]
  return ['  /**', ...lines.map((line) => `   * ${line.replaceAll('*/', '*\\/')}`), '   */'].join('\n')
}

if (import.meta.main) writeFileSync(file, renderMethods())
