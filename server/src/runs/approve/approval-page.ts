// Where the link of an approval's mail leads. It works without scripts and without signing in. Looking at it (GET) decides nothing, because mail
// scanners look at links; only sending the form does.
import { commentCharactersMax } from '@patchbay/contract'
import { html, type Page, page } from '../../http/index.ts'
import { AppError, invalid } from '../../lib/app-error.ts'
import { approvalPath, minuteOf } from './approval-mail.ts'
import { type Approval, type Decision, findApproval } from './approval-store.ts'
import { openLink } from './begin-approval.ts'
import { type DecideDeps, decide, hasDecided } from './decide.ts'
import { type FormField, fromTexts, inputName } from './form-values.ts'

type Answer = Awaited<ReturnType<Page['render']>>
type Html = ReturnType<typeof html>
type Texts = Readonly<Record<string, string>>

const gone: Answer = {
  status: 404,
  html: page('Approval', html`<p>This link is not valid, or the request no longer exists.</p>`),
}

export function approvalPages(deps: DecideDeps): Page[] {
  return [
    {
      method: 'GET',
      path: approvalPath,
      render: async ({ query }) => {
        const token = query['token'] ?? ''
        const link = await openLink(deps.database.system, token)
        const approval = link && (await findApproval(deps.database.system, link.accountId, link.approvalId))
        return approval ? { status: 200, html: show(approval, link.email, { token, texts: {} }) } : gone
      },
    },
    {
      method: 'POST',
      path: approvalPath,
      render: async ({ form, exchange }) => {
        const token = form['token'] ?? ''
        const link = await openLink(deps.database.system, token)
        if (!link) return gone
        const { accountId, approvalId, organizationId, email } = link
        const approval = await findApproval(deps.database.system, accountId, approvalId)
        if (!approval) return gone
        const actor = {
          organizationId,
          accountId: null,
          managedAccountId: accountId,
          keyId: null,
          address: exchange.address,
        }
        try {
          const given = readDecision(approval.form, form)
          const decided = await decide(deps, { accountId, id: approvalId }, { ...given, by: email }, actor)
          return decided ? { status: 200, html: show(decided, email, { token, texts: {} }) } : gone
        } catch (error) {
          if (!(error instanceof AppError)) throw error
          return { status: error.status, html: show(approval, email, { token, texts: form, problem: error.message }) }
        }
      },
    },
  ]
}

function readDecision(fields: readonly FormField[], form: Texts) {
  const action = form['action']
  if (action !== 'approve' && action !== 'reject') throw invalid('Choose Approve or Reject.')
  const comment = (form['comment'] ?? '').replaceAll('\r\n', '\n').trim()
  if (comment.length > commentCharactersMax)
    throw invalid(`The comment must be at most ${commentCharactersMax} characters long.`)
  return { isApproved: action === 'approve', comment: comment === '' ? null : comment, form: fromTexts(fields, form) }
}

type Shown = { token: string; texts: Texts; problem?: string }

function show(approval: Approval, email: string, shown: Shown): string {
  const { title, message, workflowName, decisions, outcome } = approval
  const isOpenToThem = outcome === null && !hasDecided(approval, email)
  return page(
    title,
    html`<p class="soft">${workflowName}, run ${approval.runNumber}</p>
${message === null ? html`` : html`<p class="message">${message}</p>`}
${isOpenToThem ? html`` : html`<p class="${outcome === 'approved' ? 'good' : outcome === 'rejected' ? 'bad' : 'note'}" role="status">${tell(approval, email)}</p>`}
${isOpenToThem ? html`` : decisions.map(tellDecision)}
${isOpenToThem ? decisionForm(approval, email, shown) : html``}`,
  )
}

function tell({ outcome, decisions, countNeeded, timeoutAt }: Approval, email: string): string {
  if (outcome === 'approved') return 'This request was approved.'
  if (outcome === 'rejected') return 'This request was rejected.'
  if (outcome === 'timedOut') return `Nobody decided in time. The request was open until ${minuteOf(timeoutAt)}.`
  if (outcome !== null) return 'This request is no longer open: the run no longer waits for it.'
  return `Your decision as ${email} is recorded. ${decisions.length} of ${countNeeded} approvals so far.`
}

function tellDecision({ by, approved, comment, dateTimeUTC }: Decision): Html {
  return html`<p class="decision"><strong>${approved ? 'Approved' : 'Rejected'}</strong> by ${by}<small>${minuteOf(new Date(dateTimeUTC))}</small></p>
${comment === null ? html`` : html`<p class="message">${comment}</p>`}`
}

function decisionForm(
  { form, timeoutAt, countNeeded, decisions }: Approval,
  email: string,
  { token, texts, problem }: Shown,
): Html {
  const soFar = countNeeded > 1 ? ` ${decisions.length} of ${countNeeded} approvals so far.` : ''
  return html`${problem === undefined ? html`` : html`<p class="bad" role="alert">${problem}</p>`}
<form method="post" action="${approvalPath}"><input type="hidden" name="token" value="${token}">
${form.map((field) => input(field, texts[inputName(field.shortName)] ?? ''))}
<label for="comment">Comment <span class="soft">(optional)</span></label>
<textarea id="comment" name="comment" rows="3" maxlength="${commentCharactersMax}">${texts['comment'] ?? ''}</textarea>
<div class="choice"><button name="action" value="approve">Approve</button><button class="quiet" name="action" value="reject" formnovalidate>Reject</button></div></form>
<p class="soft beside">You decide as ${email}, until ${minuteOf(timeoutAt)}.${soFar}</p>`
}

function input({ shortName, displayName, type: named, required }: FormField, text: string): Html {
  const name = inputName(shortName)
  const id = `field-${shortName}`
  const type = named.toLowerCase()
  if (type === 'boolean')
    return html`<label class="tick"><input type="checkbox" id="${id}" name="${name}" ${text === '' ? '' : 'checked'}>${displayName}</label>`
  const label = html`<label for="${id}">${displayName}${required ? html`` : html` <span class="soft">(optional)</span>`}</label>`
  const must = required ? 'required' : ''
  if (type === 'number')
    return html`${label}<input id="${id}" name="${name}" type="number" step="any" value="${text}" ${must}>`
  if (type === 'date') return html`${label}<input id="${id}" name="${name}" type="date" value="${text}" ${must}>`
  return html`${label}<input id="${id}" name="${name}" value="${text}" ${must}>`
}
