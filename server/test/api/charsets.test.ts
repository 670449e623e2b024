// Text that is not UTF-8 arrives as what it says.
import { expect, it } from 'vitest'
import { useProxySample } from '../harness/proxy-sample.ts'
import { enableWebhook, leftQueue } from '../harness/webhooks.ts'
import { blockPath, blockResult, deployWorkflow, runToEnd } from '../harness/workflows.ts'

const sample = useProxySample()

const latin = Buffer.from('{"name":"Blåbær"}', 'latin1')
const jsonIn = (charset: string) => ({
  headers: { 'content-type': `application/json; charset=${charset}` },
  body: latin,
})

it('answers of targets are decoded by their declared character set, as JSON and as text', async () => {
  await sample.register()
  sample.target.answer = () => jsonIn('ISO-8859-1')
  expect((await sample.send({ verb: 'GET', requestUrl: 'a' })).body).toEqual({ name: 'Blåbær' })
  expect((await sample.send({ verb: 'GET', requestUrl: 'a', responseType: 'Text' })).body).toBe('{"name":"Blåbær"}')
  expect((await sample.send({ verb: 'GET', requestUrl: 'a', responseType: 'Binary' })).body).toBe(
    latin.toString('base64'),
  )
  const xml = Buffer.from('<?xml version="1.0" encoding="windows-1252"?><a>æ</a>', 'latin1')
  sample.target.answer = () => ({ headers: { 'content-type': 'text/xml' }, body: xml })
  expect((await sample.send({ verb: 'GET', requestUrl: 'a' })).body).toContain('<a>æ</a>')
})

it('refusals of targets are, too', async () => {
  await sample.register()
  sample.target.answer = () => ({ status: 422, ...jsonIn('windows-1252') })
  const { status, body } = await sample.send({ verb: 'GET', requestUrl: 'a' })
  expect(status).toBe(400)
  expect(body.errorMessage).toContain('Blåbær')
  expect(body.response.data).toEqual({ name: 'Blåbær' })
})

it('an unknown character set is read as UTF-8, and the log of the block says so', async () => {
  const id = await sample.register()
  sample.target.answer = () => ({ headers: { 'content-type': 'text/plain; charset=martian' }, body: 'plain' })
  const workflow = await deployWorkflow(sample.user, ['return api.get("HTTP/words")'], { applications: { HTTP: id } })
  await runToEnd(sample.user, workflow.id)
  expect((await blockResult(sample.user, workflow, 1)).body.result).toBe('plain')
  const { body } = await sample.user.get(blockPath('GetBlockUserLog', workflow, 1))
  expect(body.result).toEqual([
    '(The response from HTTP/words declares the unknown character set "martian"; it was read as UTF-8.)',
  ])
})

it('webhook requests are decoded by their declared character set, everywhere they are shown', async () => {
  const workflow = await deployWorkflow(sample.user, ['return webhook.body.name'])
  const webhook = await enableWebhook(sample.user, workflow.id)
  const { webhookId } = (await webhook.send(latin, { 'content-type': 'application/json; charset="iso-8859-1"' })).body
  await leftQueue(sample.user, workflow.id, webhookId)
  expect((await blockResult(sample.user, workflow, 1)).body.result).toBe('Blåbær')
  expect((await sample.user.get(`/api/GetWebhook/${webhookId}`)).body.webhookValue).toEqual({ name: 'Blåbær' })
  const unknown = (await webhook.send('{"name":"Å"}', { 'content-type': 'application/json; charset=martian' })).body
  await leftQueue(sample.user, workflow.id, unknown.webhookId)
  expect((await blockResult(sample.user, workflow, 1, 2)).body.result).toBe('Å')
  const { body } = await sample.user.get(blockPath('GetBlockUserLog', workflow, 1, 2))
  expect(body.result).toEqual([
    '(The webhook request declares the unknown character set "martian"; it was read as UTF-8.)',
  ])
})
