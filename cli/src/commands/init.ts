import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'
import { writeWhole } from '../folders/write-files.ts'
import { editorFiles } from '../scripts/editor-files.ts'

const example = {
  'hello/workflow.yaml': `# yaml-language-server: $schema=../.patchbay/workflow.schema.json
name: Hello
variables:
  who:
    type: text
    value: world
blocks:
  - name: Greet
    script: blocks/greet.js
    variables:
      who:
        workflow: who
`,
  'hello/blocks/greet.js': "return { greeting: 'Hello, ' + variables.who }\n",
  'hello/tests/greet.yaml': `# yaml-language-server: $schema=../../.patchbay/test.schema.json
block: greet
variables:
  who: Anna
expect:
  result:
    greeting: Hello, Anna
`,
}

export async function init({ terminal, cwd }: Context, _: object, folder = '.'): Promise<undefined> {
  const root = resolve(cwd, folder)
  if (existsSync(join(root, 'hello')))
    throw new Failure(`${join(folder, 'hello')} already exists. Choose another folder.`)
  const files = { ...example, ...editorFiles() }
  for (const [path, text] of Object.entries(files)) {
    // Settings that somebody made are theirs.
    if (!existsSync(join(root, path))) writeWhole(root, join(root, path), text)
  }
  terminal.result({ folder: root, files: Object.keys(files) }, () =>
    [
      `Created ${join(folder, 'hello')}, a workflow with one block and its test.`,
      'Next:',
      ...(folder === '.' ? [] : [`  cd ${folder}`]),
      '  patchbay test          run the test, without a service',
      '  patchbay push          create the workflow on the service you are logged in to',
      '  patchbay deploy Hello  let it run',
    ].join('\n'),
  )
}
