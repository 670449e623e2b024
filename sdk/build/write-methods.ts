// Writes src/methods.ts and src/routes.ts from the contract: `npm run methods --workspace sdk`. A mapped type would need no methods.ts, but
// editors show no documentation for its members; and with routes.ts a client loads a table of addresses, not every schema of the contract.
// A test compares both files with the contract.
import { writeFileSync } from 'node:fs'
import { type OperationSpec, operations } from '@patchbay/contract'

const origin =
  '// Made from the contract by build/write-methods.ts; change the contract and run `npm run methods --workspace sdk`.'
const specs = Object.entries(operations) as [name: string, spec: OperationSpec][]

/** The text of src/methods.ts. */
export function renderMethods(): string {
  // The stream is written by hand: its method is an iterator.
  const methods = specs.filter(([name]) => name !== 'Stream')
  return [
    origin,
    "import type { Method } from './request-parts.ts'",
    '',
    '/** One method per operation. */',
    'export type Methods = {',
    ...methods.map(([name, spec]) => `${commentOf(spec)}\n  ${methodName(name)}: Method<'${name}'>`),
    '}',
    '',
  ].join('\n')
}

function methodName(operation: string): string {
  return operation.charAt(0).toLowerCase() + operation.slice(1)
}

function commentOf(spec: OperationSpec): string {
  const role = spec.lowestRole ? [`Needs the role ${spec.lowestRole} or higher.`] : []
  const example = spec.example?.body === undefined ? [] : [`@example { body: ${JSON.stringify(spec.example.body)} }`]
  const lines = [spec.description, ...role, `${spec.method} ${spec.path}`, ...example]
  return ['  /**', ...lines.map((line) => `   * ${line.replaceAll('*/', '*\\/')}`), '   */'].join('\n')
}

/** The text of src/routes.ts. */
export function renderRoutes(): string {
  return [
    origin,
    "import type { OperationName } from '@patchbay/contract'",
    "import type { Route } from './request-parts.ts'",
    '',
    '/** Where each operation is: all that a client needs of the contract while it runs. */',
    'export const routes: Readonly<Record<OperationName, Route>> = {',
    ...specs.map(([name, spec]) => `  ${name}: ${routeOf(spec)},`),
    '}',
    '',
  ].join('\n')
}

function routeOf({ method, path, changesState, bodyType }: OperationSpec): string {
  const fields = [
    `method: '${method}'`,
    `path: '${path}'`,
    ...(changesState ? ['changesState: true'] : []),
    ...(bodyType ? [`bodyType: '${bodyType}'`] : []),
  ]
  return `{ ${fields.join(', ')} }`
}

if (import.meta.main) {
  writeFileSync(new URL('../src/methods.ts', import.meta.url), renderMethods())
  writeFileSync(new URL('../src/routes.ts', import.meta.url), renderRoutes())
}
