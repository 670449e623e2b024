// What editors read: the script API, and the schemas of the YAML files.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { workflowSchema } from '../folders/workflow-schema.ts'
import { testSchema } from './test-schema.ts'

export function scriptApi(): string {
  return readFileSync(createRequire(import.meta.url).resolve('@patchbay/sdk/script-api'), 'utf8')
}

/** Paths below the folder of workflows, with their content. */
export function editorFiles(): Record<string, string> {
  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`
  return {
    '.patchbay/script-api.d.ts': scriptApi(),
    '.patchbay/workflow.schema.json': json(workflowSchema),
    '.patchbay/test.schema.json': json(testSchema),
    'jsconfig.json': json({
      compilerOptions: { target: 'esnext', lib: ['esnext'], checkJs: false, noEmit: true },
      include: ['*/blocks/*.js', '.patchbay/script-api.d.ts'],
    }),
  }
}
