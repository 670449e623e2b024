// JSON keeps the order of its keys, wherever it goes.
import { expect, it } from 'vitest'
import { useProxySample } from '../harness/proxy-sample.ts'
import { enableWebhook, leftQueue } from '../harness/webhooks.ts'
import { blockPath, blockResult, deployWorkflow } from '../harness/workflows.ts'

const sample = useProxySample()
const value = { zulu: 1, alpha: { yankee: [{ x: 1, b: 2 }], bravo: null }, mike: 'm' }
const text = JSON.stringify(value)

it('in variables, the vault, webhooks, session variables, results, and what targets send and receive', async () => {
  const http = await sample.register()
  sample.target.answer = ({ body }) => ({ headers: { 'content-type': 'application/json' }, body })
  const script = `const given = { workflow: variables.shared, block: variables.own, webhook: webhook.body, vault: await myVault.get('value') }
    given.target = await api.post('HTTP/echo', given.workflow)
    session.vars.kept = given.workflow
    return { texts: Object.values(given).map((one) => JSON.stringify(one)), value: given.workflow }`
  const workflow = await deployWorkflow(sample.user, [script], { applications: { HTTP: http } })
  const own = { variableSource: 'Value', value, type: 'json' }
  const changed = await sample.user.post(`/api/Workflow/${workflow.id}`, {
    variables: { shared: { type: 'json', value } },
    chain: [
      {
        uniqueBlockId: workflow.blocks[0],
        variables: { own, shared: { variableSource: 'Workflow', variableName: 'shared', type: 'json' } },
      },
    ],
  })
  expect(changed.status, changed.text).toBe(200)
  await sample.user.post(`/api/MyVaultSet/${workflow.id}/value`, { jsonData: value })
  const webhook = await enableWebhook(sample.user, workflow.id)
  const { webhookId } = (await webhook.send(value)).body
  await leftQueue(sample.user, workflow.id, webhookId)

  const shown = (await sample.user.get(`/api/Workflow/${workflow.id}`)).body
  const { result } = (await blockResult(sample.user, workflow, 1)).body
  expect(result.texts).toEqual(Array(5).fill(text))
  expect(sample.target.received.at(-1)?.body.toString()).toBe(text)
  const places = [
    shown.variables.shared.value,
    shown.chain[0].variables.own.value,
    result.value,
    (await sample.user.get(blockPath('GetBlockSession', workflow, 1))).body.result.kept,
    (await sample.user.get(`/api/GetWebhook/${webhookId}`)).body.webhookValue,
    (await sample.user.get(`/api/MyVaultGet/${workflow.id}/value`)).body,
  ]
  expect(places.map((one) => JSON.stringify(one))).toEqual(places.map(() => text))
})
