// Runs that wait for people. The mails go to a real SMTP server, the links in them are opened and sent like a browser does.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { startService, type TestService } from '../harness/service.ts'
import { startSmtpPeer } from '../harness/smtp-peer.ts'
import { blockResult, deployWorkflow, endOf, findRun, runToEnd, startRun } from '../harness/workflows.ts'

let service: TestService
let smtp: Awaited<ReturnType<typeof startSmtpPeer>>
let partner: { id: string; client: Client; email: string }
let client: Client
let visitor: Client
beforeAll(async () => {
  smtp = await startSmtpPeer()
  service = await startService({ env: { PATCHBAY_SMTP_URL: smtp.url } })
  partner = await createAccount(service, service.manager, 'DevPartner')
  client = partner.client
  visitor = service.client(undefined)
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await smtp[Symbol.asyncDispose]()
})

let count = 0
const newAddress = (name: string) => `${name}${++count}@people.example`

type Asked = { approval?: object; more?: object; script?: string }

async function ask(to: string[] | string, { approval = {}, more = {}, script = 'return { order: 7 }' }: Asked = {}) {
  const wait = { approval: { title: '"Pay order " + prepared.order', to, ...approval }, ...more }
  const workflow = await deployWorkflow(client, [{ script, flow: { wait } }], { name: 'Orders' })
  await startRun(client, workflow.id)
  const run = await eventually(async () => {
    const found = await findRun(client, workflow.id, 1)
    return found?.status === 'Waiting' ? found : undefined
  })
  const found = await approvalOf(workflow.id)
  return { ...workflow, approval: found, run }
}

async function approvalOf(workflowId: string) {
  const { items } = (await client.post('/api/Approvals', { page: 0, size: 100 })).body
  return items.find((item: { workflowId: string }) => item.workflowId === workflowId)
}

/** The token in the mail to an address, and the mail. */
async function mailTo(address: string) {
  const mail = await eventually(() => smtp.received.find(({ to }) => to.includes(address)))
  const plain = mail.source.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '=')
  const token = /\/approval\?token=([\w-]+)/.exec(plain)?.[1] ?? ''
  return { plain, token }
}

const open = (token: string) => visitor.get(`/approval?token=${token}`)
const send = (token: string, fields: Record<string, string>) =>
  visitor.send('POST', '/approval', new URLSearchParams({ token, ...fields }).toString(), {
    'Content-Type': 'application/x-www-form-urlencoded',
  })
const act = (id: string, body: object, as = client) => as.post(`/api/ApprovalAction/${id}`, body)
const resultOf = async (workflow: { id: string; blocks: string[] }) => {
  await endOf(client, workflow.id, 1)
  return (await blockResult(client, workflow, 1)).body.result
}

/** As if the time had come. */
async function makeDue(workflowId: string): Promise<void> {
  const ofRun = '(select id from runs where workflow_id = $1)'
  await service.asOwner(`update run_waits set due_at = now() where run_id = ${ofRun}`, [workflowId])
  await service.asOwner(`update jobs set due_at = now() where id = ${ofRun}`, [workflowId])
}

describe('a wait for an approval', () => {
  it('mails a link to each address; the form of its page decides, and the result tells it', async () => {
    const [anna, ben] = [newAddress('anna'), newAddress('ben')]
    const form = [
      { shortName: 'amount', displayName: 'Amount', type: 'number', required: true },
      { shortName: 'urgent', displayName: 'Urgent', type: 'boolean', required: false },
    ]
    const approval = { message: '"First line.\\n<b>Second</b> line."', form }
    const asked = await ask([anna, ben, anna.toUpperCase()], { approval })
    expect(asked.run.waitingFor).toMatchObject({ kind: 'approval', uniqueBlockId: asked.blocks[0], itemKey: null })
    expect(asked.approval).toEqual({
      ...{ id: expect.any(String), accountId: partner.id, workflowId: asked.id, workflowName: 'Orders', runNumber: 1 },
      ...{ uniqueBlockId: asked.blocks[0], itemKey: null, title: 'Pay order 7' },
      ...{ message: 'First line.\n<b>Second</b> line.', to: [anna, ben], form, outcome: null, decisions: [] },
      ...{ createDateTimeUTC: expect.any(String), timeoutDateTimeUTC: asked.run.waitingFor.untilDateTimeUTC },
    })
    const toAnna = await mailTo(anna)
    const toBen = await mailTo(ben)
    expect(toAnna.plain).toContain('Subject: Pay order 7')
    expect(toAnna.token).not.toBe(toBen.token)

    const shown = await open(toAnna.token)
    expect(shown.status).toBe(200)
    expect(shown.text).toContain('<h1>Pay order 7</h1>')
    expect(shown.text).toContain('&lt;b&gt;Second&lt;/b&gt;')
    expect(shown.text).not.toContain('<script')
    expect(shown.headers.get('content-security-policy')).toContain("default-src 'none'")
    // Opening it, as mail scanners do, decides nothing.
    expect((await approvalOf(asked.id)).decisions).toEqual([])

    const decided = await send(toAnna.token, {
      ...{ action: 'approve', comment: ' Fine. ', 'form.amount': '12.5', 'form.urgent': 'on' },
    })
    expect(decided.status, decided.text).toBe(200)
    expect(decided.text).toContain(`<strong>Approved</strong> by ${anna}`)
    expect(await resultOf(asked)).toEqual({
      ...{ outcome: 'approved', prepared: { order: 7 }, data: { amount: 12.5, urgent: true }, by: anna },
      ...{ comment: 'Fine.', dateTimeUTC: expect.any(String) },
    })
    // Whoever comes later sees what was decided, and changes nothing.
    const later = await send(toBen.token, { action: 'reject' })
    expect(later.status).toBe(200)
    expect(later.text).toContain(`<strong>Approved</strong> by ${anna}`)
    expect((await open(toBen.token)).text).not.toContain('<form')
    const { outcome, decisions } = await approvalOf(asked.id)
    expect(outcome).toBe('approved')
    expect(decisions).toEqual([
      {
        ...{ by: anna, approved: true, comment: 'Fine.', form: { amount: 12.5, urgent: true } },
        dateTimeUTC: expect.any(String),
      },
    ])
  })

  it('has one same page for every token that is wrong', async () => {
    const anna = newAddress('anna')
    await ask([anna])
    const { token } = await mailTo(anna)
    const other = token.replace(/.{6}$/, 'AAAAAA')
    const wrong = await Promise.all([open(''), open('x'), open(other), send(other, { action: 'approve' })])
    expect(wrong.map(({ status }) => status)).toEqual([404, 404, 404, 404])
    expect(new Set(wrong.map(({ text }) => text)).size).toBe(1)
  })

  it('asks again for what is missing or wrong in the form, and keeps what was typed', async () => {
    const anna = newAddress('anna')
    const form = [
      { shortName: 'amount', displayName: 'Amount', type: 'number', required: true },
      { shortName: 'day', displayName: 'Day', type: 'date', required: false },
    ]
    const asked = await ask([anna], { approval: { form } })
    const { token } = await mailTo(anna)
    const missing = await send(token, { action: 'approve', 'form.day': '2026-11-20', comment: 'Kept.' })
    expect(missing.status).toBe(400)
    expect(missing.text).toContain('The form field &quot;Amount&quot; is required.')
    expect(missing.text).toContain('value="2026-11-20"')
    expect(missing.text).toContain('>Kept.</textarea>')
    const wrong = await send(token, { action: 'approve', 'form.amount': 'much' })
    expect(wrong.text).toContain('The form field &quot;Amount&quot; must be a number.')
    expect((await send(token, {})).text).toContain('Choose Approve or Reject.')
    const long = await send(token, { action: 'reject', comment: 'x'.repeat(2001) })
    expect(long.text).toContain('The comment must be at most 2000 characters long.')
    expect((await approvalOf(asked.id)).decisions).toEqual([])
    // A rejection needs no form.
    expect((await send(token, { action: 'reject', comment: 'No.' })).status).toBe(200)
    expect(await resultOf(asked)).toMatchObject({
      ...{ outcome: 'rejected', by: anna, comment: 'No.', data: { amount: null, day: null } },
    })
  })

  it('takes as many approvals as it says, each address once', async () => {
    const [anna, ben] = [newAddress('anna'), newAddress('ben')]
    const asked = await ask([anna, ben], { approval: { count: 2 } })
    const [toAnna, toBen] = [await mailTo(anna), await mailTo(ben)]
    const first = await send(toAnna.token, { action: 'approve' })
    expect(first.text).toContain('1 of 2 approvals so far.')
    expect((await send(toAnna.token, { action: 'approve' })).text).toContain('1 of 2 approvals so far.')
    expect((await send(toAnna.token, { action: 'reject' })).text).toContain('1 of 2 approvals so far.')
    expect(await approvalOf(asked.id)).toMatchObject({ outcome: null, decisions: [{ by: anna }] })
    expect((await findRun(client, asked.id, 1)).status).toBe('Waiting')
    await send(toBen.token, { action: 'approve' })
    expect(await resultOf(asked)).toMatchObject({ outcome: 'approved', by: ben, data: null, comment: null })
  })

  it('is over with one rejection, however many approvals it takes', async () => {
    const [anna, ben] = [newAddress('anna'), newAddress('ben')]
    const asked = await ask([anna, ben], { approval: { count: 2 } })
    await send((await mailTo(anna)).token, { action: 'approve' })
    await send((await mailTo(ben)).token, { action: 'reject', comment: 'Too much.' })
    expect(await resultOf(asked)).toMatchObject({ outcome: 'rejected', by: ben, comment: 'Too much.' })
  })

  it('is decided over the API by whoever may run the workflow, and answered as it is afterwards', async () => {
    const form = [{ shortName: 'note', displayName: 'Note', type: 'text', required: true }]
    const asked = await ask('["a@people.example"]', { approval: { form } })
    const { id } = asked.approval
    const stranger = (await createAccount(service, service.manager, 'User')).client
    expect((await act(id, { action: 'approve' }, stranger)).status).toBe(404)
    expect((await act(id, { action: 'approve' })).body.errorMessage).toBe('The form field "Note" is required.')
    const unknown = await act(id, { action: 'approve', form: { note: 'x', more: 1 } })
    expect(unknown.body.errorMessage).toBe('Unknown field "more" in form.')
    const long = await act(id, { action: 'approve', form: { note: 'x'.repeat(10_001) } })
    expect(long.body.errorMessage).toBe('The form field "Note" must be at most 10000 characters long.')
    const decided = await act(id, { action: 'approve', comment: 'Yes', form: { note: 'n' } })
    expect(decided).toMatchObject({
      status: 200,
      body: { id, outcome: 'approved', decisions: [{ by: partner.email, approved: true, comment: 'Yes' }] },
    })
    expect(await act(id, { action: 'reject' })).toMatchObject({ status: 200, body: decided.body })
    expect(await resultOf(asked)).toMatchObject({ outcome: 'approved', by: partner.email, data: { note: 'n' } })
    // A manager acts for the account, and sees it across all of them.
    const all = (await service.manager.post('/api/Approvals', { acrossAccounts: true, size: 100 })).body.items
    expect(all.map((item: { id: string }) => item.id)).toContain(id)
    expect((await service.manager.post('/api/Approvals', {})).body).toEqual({ items: [], total: 0 })
    expect((await act(id, { action: 'approve' }, service.manager)).status).toBe(404)
    expect((await act(id, { action: 'approve' }, service.manager.as(partner.id))).body).toEqual(decided.body)
  })

  it('lists open and closed ones', async () => {
    const [one, other] = [await ask([newAddress('a')]), await ask([newAddress('b')])]
    await act(one.approval.id, { action: 'reject' })
    const ids = async (isOpen: boolean) =>
      (await client.post('/api/Approvals', { isOpen, size: 100 })).body.items.map((item: { id: string }) => item.id)
    const [open, closed] = [await ids(true), await ids(false)]
    expect([open.includes(other.approval.id), open.includes(one.approval.id)]).toEqual([true, false])
    expect([closed.includes(other.approval.id), closed.includes(one.approval.id)]).toEqual([false, true])
  })

  it('has every decision in the audit log', async () => {
    const anna = newAddress('anna')
    const asked = await ask([anna], { approval: { count: 2 } })
    await send((await mailTo(anna)).token, { action: 'approve' })
    await act(asked.approval.id, { action: 'reject' })
    const { items } = (await service.manager.post('/api/GetAuditLog', { page: 0, size: 20 })).body
    const rows = items.filter((row: { target: string }) => row.target === asked.approval.id)
    expect(rows.map((row: { action: string; details: { by: string } }) => [row.action, row.details.by])).toEqual([
      ['approval.rejected', partner.email],
      ['approval.approved', anna],
    ])
  })

  it.each([
    ['fail', { status: 'Error' }],
    ['continue', { status: 'Ready' }],
  ])('that nobody decides in time ends as onTimeout %s says', async (onTimeout, expected) => {
    const anna = newAddress('anna')
    const asked = await ask([anna], { more: { timeoutHours: 1, onTimeout } })
    const { token } = await mailTo(anna)
    await makeDue(asked.id)
    const run = await endOf(client, asked.id, 1)
    expect(run).toMatchObject(expected)
    if (onTimeout === 'fail') expect(run.errorMessage).toContain('Nobody decided in time.')
    else expect(await resultOf(asked)).toMatchObject({ outcome: 'timedOut', by: null, data: null })
    expect((await approvalOf(asked.id)).outcome).toBe('timedOut')
    expect((await send(token, { action: 'approve' })).text).toContain('Nobody decided in time.')
    expect((await act(asked.approval.id, { action: 'approve' })).body).toMatchObject({ outcome: 'timedOut' })
  })

  it('is closed when its run is stopped', async () => {
    const anna = newAddress('anna')
    const asked = await ask([anna])
    const { token } = await mailTo(anna)
    expect((await client.get(`/api/StopWorkflowRun/${asked.id}?runNumber=1`)).body).toBe(true)
    expect(await approvalOf(asked.id)).toMatchObject({ outcome: 'stopped', decisions: [] })
    expect((await send(token, { action: 'approve' })).text).toContain('no longer open')
    expect((await approvalOf(asked.id)).decisions).toEqual([])
  })

  it('goes with its workflow, and its links lead nowhere then', async () => {
    const anna = newAddress('anna')
    const asked = await ask([anna])
    const { token } = await mailTo(anna)
    expect((await client.get(`/api/DeleteWorkflow/${asked.id}`)).status).toBe(200)
    expect((await open(token)).status).toBe(404)
    expect((await act(asked.approval.id, { action: 'approve' })).status).toBe(404)
  })

  it('keeps of its links only hashes, and writes none to the log', async () => {
    const anna = newAddress('anna')
    await ask([anna])
    const { token } = await mailTo(anna)
    await open(token)
    await send(token, { action: 'approve' })
    const secret = token.split('_').at(-1) as string
    expect(service.logText()).not.toContain(secret)
    const tables = ['approvals', 'approval_links', 'run_waits', 'runs', 'mails', 'audit_log']
    for (const table of tables) {
      const rows = await service.asOwner(`select from ${table} t where strpos(t::text, $1) > 0`, [secret])
      expect(rows, table).toEqual([])
    }
  })

  it('passes at once in a partial run, and mails nobody', async () => {
    const anna = newAddress('anna')
    const wait = { approval: { title: '"Pay"', to: [anna] } }
    const workflow = await deployWorkflow(client, [{ script: 'return 1', flow: { wait } }])
    await runToEnd(client, workflow.id, { runTillBlock: 1 })
    expect((await blockResult(client, workflow, 1)).body.result).toMatchObject({ outcome: 'timedOut', prepared: 1 })
    expect(await approvalOf(workflow.id)).toBeUndefined()
  })

  it.each([
    [{ title: '""' }, 'its title must be a text of 1 to 200 characters.'],
    [{ title: '({})' }, 'its title must be a text of 1 to 200 characters.'],
    [{ title: '"x".repeat(201)' }, 'its title must be a text of 1 to 200 characters.'],
    [{ message: '[1]' }, 'its message must be a text of at most 10000 characters.'],
    [{ to: '[]' }, 'to must give 1 to 20 e-mail addresses.'],
    [{ to: '["nobody"]' }, 'to must give 1 to 20 e-mail addresses.'],
    [
      { to: 'Array.from({ length: 21 }, (_, n) => "a" + n + "@people.example")' },
      'to must give 1 to 20 e-mail addresses.',
    ],
    [{ to: 'nothing.there' }, 'ReferenceError: nothing is not defined'],
  ])('of %j fails the block', async (approval, why) => {
    const wait = { approval: { title: '"Pay"', to: ['a@people.example'], ...approval } }
    const workflow = await deployWorkflow(client, [{ blockName: 'Ask', script: 'return 1', flow: { wait } }])
    const run = await runToEnd(client, workflow.id)
    expect(run.status).toBe('Error')
    expect(run.errorMessage).toContain(`The wait of block "Ask" failed: ${why}`)
  })

  const field = { shortName: 'a', displayName: 'A', type: 'text', required: false }
  it.each([
    [{ to: ['nobody'] }, 'to'],
    [{ to: [] }, 'to'],
    [{ count: 11 }, 'count'],
    [{ title: 'one two' }, 'wait.approval.title'],
    [{ form: [{ ...field, type: 'json' }] }, 'of the type "json". Use one of: text, number, boolean, date.'],
    [{ form: [field, field] }, 'has two form fields with the shortName a.'],
  ])('of %j is 400 at save', async (approval, why) => {
    const wait = { approval: { title: '"Pay"', to: ['a@people.example'], ...approval } }
    const refused = await client.post('/api/Workflow', { name: 'Wrong', chain: [{ script: 'return 1', wait }] })
    expect(refused.status).toBe(400)
    expect(refused.body.errorMessage).toContain(why)
  })
})

describe('at the same moment', () => {
  it('two people decide once', async () => {
    const [anna, ben] = [newAddress('anna'), newAddress('ben')]
    const asked = await ask([anna, ben])
    const tokens = [(await mailTo(anna)).token, (await mailTo(ben)).token]
    await Promise.all([
      send(tokens[0] as string, { action: 'approve' }),
      send(tokens[1] as string, { action: 'reject' }),
      act(asked.approval.id, { action: 'approve' }),
    ])
    const { outcome, decisions } = await approvalOf(asked.id)
    expect(decisions).toHaveLength(1)
    expect(await resultOf(asked)).toMatchObject({ outcome, by: decisions[0].by })
  })

  it('the same person sends twice and counts once', async () => {
    const anna = newAddress('anna')
    const asked = await ask([anna], { approval: { count: 2 } })
    const { token } = await mailTo(anna)
    await Promise.all([1, 2, 3, 4].map(() => send(token, { action: 'approve' })))
    expect(await approvalOf(asked.id)).toMatchObject({ outcome: null, decisions: [{ by: anna }] })
  })

  it('a decision and the timeout agree on what came first', async () => {
    for (let round = 0; round < 4; round++) {
      const asked = await ask([newAddress('a')], { more: { onTimeout: 'continue' } })
      await Promise.all([makeDue(asked.id), act(asked.approval.id, { action: 'approve' })])
      const { outcome, decisions } = await approvalOf(asked.id)
      const result = await resultOf(asked)
      expect(result.outcome).toBe((await approvalOf(asked.id)).outcome)
      expect([outcome, decisions.length]).toEqual(result.outcome === 'approved' ? ['approved', 1] : [outcome, 0])
    }
  })

  it('a decision and a stop agree on what came first', async () => {
    for (let round = 0; round < 4; round++) {
      const asked = await ask([newAddress('a')])
      await Promise.all([
        client.get(`/api/StopWorkflowRun/${asked.id}?runNumber=1`),
        act(asked.approval.id, { action: 'approve' }),
      ])
      const run = await endOf(client, asked.id, 1)
      const { outcome } = await approvalOf(asked.id)
      // A stop may still come after the decision, before the run has gone on; never the other way round.
      if (run.status === 'Ready') expect(outcome).toBe('approved')
      else expect(['approved', 'stopped']).toContain(outcome)
    }
  })
})
