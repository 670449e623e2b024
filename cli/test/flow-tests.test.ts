// `patchbay test` of blocks with conditions, items and responses.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { newFolder, runCommand } from './harness/command.ts'

const workflow = `name: Orders
blocks:
  - name: Ship
    script: blocks/ship.js
    runWhen: run.input !== null
    forEach: { key: item.id, concurrency: 2 }
  - name: Batch
    script: blocks/batch.js
    forEach: { batchSize: 2 }
  - name: Catch
    script: blocks/catch.js
    needs: failed
    dataSources: [ship]
  - name: Answer
    script: blocks/answer.js
`
const scripts = {
  'orders/workflow.yaml': workflow,
  'orders/blocks/ship.js':
    'if (item.bad) throw new Error("bad order")\nreturn [item.id, index, itemKey, run.try, run.input]\n',
  'orders/blocks/batch.js': 'return items.map(({ item }) => item * items.length)\n',
  'orders/blocks/catch.js': 'return Datasource[0].error.message\n',
  'orders/blocks/answer.js': 'fx.respond({ statusCode: 201, headers: { "X-Id": "7" }, body: { id: 7 } })\nreturn 1\n',
}

/** The differences of one test, by what differs. */
async function differences(test: string): Promise<{ what: string; actual: unknown }[]> {
  const root = newFolder()
  for (const [path, content] of Object.entries({ ...scripts, 'orders/tests/one.yaml': test })) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  const ended = await runCommand(['test', '--json'], { cwd: root })
  expect(ended.stderr).toBe('')
  return JSON.parse(ended.stdout)[0].differences
}

describe('patchbay test', () => {
  it.each([
    [
      'an item with its key, index, try and input',
      'block: ship\ninput: go\ntry: 2\nindex: 4\nitem: { id: 9 }\nexpect:\n  result: [9, 4, "9", 2, go]\n',
    ],
    ['an item that fails', 'block: ship\ninput: go\nitem: { bad: true, id: 1 }\nexpect:\n  error: bad order\n'],
    [
      'several items',
      'block: ship\ninput: 1\nitems: [{ id: a }, { id: b }]\nexpect:\n  result: [[a, 0, a, 1, 1], [b, 1, b, 1, 1]]\n',
    ],
    ['batches', 'block: batch\nitems: [1, 2, 3]\nexpect:\n  result: [2, 4, 3]\n'],
    ['a block that is skipped', 'block: ship\nitem: { id: 1 }\nexpect:\n  skipped: true\n'],
    ['a handler', 'block: catch\nerror: { message: no stock }\nexpect:\n  result: no stock\n'],
    [
      'a response',
      'block: answer\nexpect:\n  response: { statusCode: 201, headers: { x-id: "7" }, body: { id: 7 } }\n',
    ],
  ])('takes %s', async (_, test) => expect(await differences(test)).toEqual([]))

  it('tells what is different', async () => {
    expect(await differences('block: ship\nitem: { id: 1 }\nexpect: {}\n')).toMatchObject([
      { what: 'skipped', expected: false, actual: true },
    ])
    expect(await differences('block: ship\ninput: 1\nitem: { id: 1 }\nexpect:\n  skipped: true\n')).toMatchObject([
      { what: 'skipped', expected: true, actual: false },
    ])
    expect(await differences('block: answer\nexpect:\n  response: { statusCode: 200 }\n')).toMatchObject([
      { what: 'response', expected: { statusCode: 200 }, actual: { statusCode: 201 } },
    ])
    expect(await differences('block: batch\nitems: [1]\nexpect:\n  response: {}\n')).toMatchObject([
      { what: 'response', actual: null },
    ])
  })
})
