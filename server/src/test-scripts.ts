// Block tests without a service: a JSON line {id, body} in, a line {id, answer} out, until the input ends. The body and the answer are
// those of TestBlock, and the sandbox is the one of production. There is no database, no vault and no network behind it.
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { BodyOf, Operations } from '@patchbay/contract'
import type { Principal } from './access/index.ts'
import { loadCatalog } from './catalog/index.ts'
import { scriptLibrary, testBlock } from './runs/index.ts'
import { SandboxPool } from './sandbox/index.ts'

type Line = { id: number; body: BodyOf<Operations['TestBlock']> }

const nobody = {
  id: '00000000-0000-4000-8000-000000000000',
  email: '',
  organizationId: '00000000-0000-4000-8000-000000000000',
  organizationName: '',
  role: 'User',
  permissions: [],
  countryKey: null,
} as const
const principal: Principal = {
  caller: nobody,
  account: nobody,
  isManaging: false,
  credential: { kind: 'key', id: nobody.id },
  address: '',
}

const [sandbox, catalog] = await Promise.all([
  SandboxPool.create({}),
  loadCatalog(fileURLToPath(new URL('../../catalog', import.meta.url))),
])
// The same array every time, so that it is sent to a script process once.
const library = scriptLibrary({ list: async () => catalog.functions })
const deps = {
  sandbox,
  functions: library,
  applications: {
    call: () => Promise.reject(new Error('A local test makes no real calls. Add the answer to "answers" in the test.')),
  },
  secretsOf: async () => [],
}

const under = new Set<Promise<void>>()
for await (const text of createInterface({ input: process.stdin })) {
  const { id, body } = JSON.parse(text) as Line
  const work = testBlock(deps, principal, body)
    .then((answer) => ({ id, answer }))
    .catch((error: Error) => ({ id, error: error.message }))
    .then((line) => void process.stdout.write(`${JSON.stringify(line)}\n`))
  under.add(work)
  void work.finally(() => under.delete(work))
}
await Promise.all(under)
await sandbox[Symbol.asyncDispose]()
