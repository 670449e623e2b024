// What is wrong with the files of a workflow is said with its place, before a server is asked for anything.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readFolders } from '../src/folders/read-folder.ts'
import { newFolder } from './harness/command.ts'

describe('reading folders', () => {
  it.each([
    ['a: [1', /^w\/workflow\.yaml:\d+:\d+: /],
    ['name: X\nblocks: 7\n', 'w/workflow.yaml:2:9: blocks must be an array, but it is an integer.'],
    ['name: X\nblock: []\n', 'w/workflow.yaml:1:1: blocks is missing.'],
    ['name: X\ncolour: red\nblocks: []\n', /^w\/workflow\.yaml:2:9: Unknown field "colour"\. Expected: name, /],
    [
      'name: X\nblocks:\n  - name: A\n    script: blocks/none.js\n',
      'w/workflow.yaml:4:13: blocks/none.js does not exist.',
    ],
    ['name: X\nblocks:\n  - name: A\n    script: blocks/bad.js\n', "w/blocks/bad.js:2: Unexpected token '='"],
    [
      'name: X\nblocks:\n  - name: A\n    script: blocks/a.js\n    dataSources: [b]\n',
      'w/workflow.yaml:5:19: No block "b". Expected one of: a.',
    ],
  ])('says where a file is wrong and what was expected: %j', (content, message) => {
    const root = newFolder()
    mkdirSync(join(root, 'w/blocks'), { recursive: true })
    writeFileSync(join(root, 'w/workflow.yaml'), content)
    writeFileSync(join(root, 'w/blocks/a.js'), 'return 1')
    writeFileSync(join(root, 'w/blocks/bad.js'), 'const a = 1\nconst = 2')
    expect(() => readFolders(root, [])).toThrow(message)
  })

  it('refuses two folders with one name', () => {
    const root = newFolder()
    for (const folder of ['one', 'two']) {
      mkdirSync(join(root, folder, 'blocks'), { recursive: true })
      writeFileSync(join(root, folder, 'workflow.yaml'), 'name: Same\nblocks: []\n')
    }
    expect(() => readFolders(root, [])).toThrow('one and two both contain a workflow named "Same". Rename one.')
  })
})
