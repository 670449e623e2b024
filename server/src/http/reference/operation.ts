import type { OperationSpec } from '@patchbay/contract'
import type { TSchema } from 'typebox'
import { answerCodes } from '../openapi/answers.ts'
import { exampleOf } from '../openapi/example.ts'
import { type Html, html } from '../pages/html.ts'
import type { SchemaShape } from '../schema/schema-shape.ts'
import { fieldTable, rowsTable } from './fields.ts'

export function describeOperation(spec: OperationSpec): Html {
  const words = [spec.name, spec.path, spec.description, spec.feature].join(' ').toLowerCase()
  return html`<details class="operation" id="${spec.name}" data-words="${words}"><summary>
<span class="method ${spec.method.toLowerCase()}">${spec.method}</span> <code>${spec.path.replaceAll(/:(\w+)/g, '{$1}')}</code> <strong>${spec.name}</strong>
</summary><div class="inside"><p>${spec.description}${roleOf(spec)}</p>
${requestOf(spec)}${answerOf(spec)}${refusalsOf(spec)}${tryIt(spec)}</div></details>`
}

function roleOf(spec: OperationSpec): string {
  if (spec.access === 'public') return ' Needs no keys.'
  return spec.lowestRole ? ` Needs the role ${spec.lowestRole} or higher.` : ''
}

function requestOf(spec: OperationSpec): Html {
  const headers = Object.entries(spec.headers ?? {}).map(([path, schema]) => ({
    path,
    schema: schema as SchemaShape,
    isRequired: false,
  }))
  const body = spec.body as SchemaShape | undefined
  return html`${spec.params ? fieldTable('Path', spec.params as TSchema as SchemaShape, true) : html``}
${spec.query ? fieldTable('Query', spec.query as TSchema as SchemaShape, true) : html``}
${rowsTable('Header', headers, true)}
${body ? html`${fieldTable(spec.bodyType === 'multipart' ? 'Form field' : 'Body', body, true)}<h4>Example body</h4>${json(bodyExample(spec, body))}` : html``}`
}

function answerOf(spec: OperationSpec): Html {
  const answer = spec.answers[200] as SchemaShape | null
  const headers = Object.entries(spec.answerHeaders ?? {}).map(([path, schema]) => ({
    path,
    schema: schema as SchemaShape,
    isRequired: true,
  }))
  const content = answer
    ? html`${fieldTable('Field', answer, false)}<h4>Example response</h4>${json(spec.example?.answer ?? exampleOf(answer))}`
    : html`<p class="soft">${spec.otherContent ? `As ${spec.otherContent}.` : 'The body is empty.'}</p>`
  return html`<h3>Response</h3>${answer?.description ? html`<p>${answer.description}</p>` : html``}${rowsTable('Header', headers, false)}${content}`
}

function refusalsOf(spec: OperationSpec): Html {
  const rows = Object.entries(answerCodes(spec)).filter(([status]) => status !== '200')
  return html`<h3>Other responses</h3><table><thead><tr><th scope="col">Status</th><th scope="col">When</th></tr></thead><tbody>${rows.map(
    ([status, when]) => html`<tr><td><code>${status}</code></td><td>${when}</td></tr>`,
  )}</tbody></table>`
}

/** Filled in and sent by the page's script, with the session of whoever is signed in. */
function tryIt(spec: OperationSpec): Html {
  if (spec.bodyType === 'multipart' || spec.otherContent === 'text/event-stream') return html``
  const body = spec.body as SchemaShape | undefined
  const places = [
    ...Object.keys(spec.params?.properties ?? {}).map((name) => ['path', name] as const),
    ...Object.keys(spec.query?.properties ?? {}).map((name) => ['query', name] as const),
  ]
  return html`<form class="try" data-method="${spec.method}" data-path="${spec.path}" hidden><h3>Try it</h3>
${places.map(
  ([where, name]) =>
    html`<label>${name} <input name="${name}" data-in="${where}" autocomplete="off" spellcheck="false"></label>`,
)}
${
  body
    ? html`<label>Body <textarea name="body" rows="8" spellcheck="false">${text(bodyExample(spec, body))}</textarea></label>`
    : html``
}
<button type="submit">Send</button><div role="status"></div></form>`
}

function bodyExample(spec: OperationSpec, body: SchemaShape): unknown {
  return spec.example?.body ?? exampleOf(body)
}

function text(value: unknown): string {
  return JSON.stringify(value, null, 2)
}

function json(value: unknown): Html {
  return html`<pre tabindex="0"><code>${text(value)}</code></pre>`
}
