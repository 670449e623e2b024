import { type OperationSpec, operations } from '@patchbay/contract'
import { FixedAnswer } from './fixed-answer.ts'
import type { Page } from './handler.ts'
import { type Html, html, page } from './html.ts'
import { answerCodes } from './openapi/answers.ts'
import { type SchemaShape, typeName } from './schema-shape.ts'

/** The API reference, made from the same table as everything else. */
export function referencePage(): Page {
  const rendered = page(
    'API reference',
    html`<p>Every request carries the headers <code>Consumer</code> and <code>SecretKey</code>; <code>ManagedAccountId</code> acts for another account.
      The same as <a href="/openapi.json">OpenAPI 3.1</a>.</p>${Object.values(operations).map(describe)}`,
    'wide',
  )
  const fixed = new FixedAnswer(rendered, 'text/html; charset=utf-8')
  return { method: 'GET', path: '/reference', render: () => ({ fixed }) }
}

function describe(spec: OperationSpec): Html {
  const parameters = { ...spec.params?.properties, ...spec.query?.properties } as Record<string, SchemaShape>
  const body = (spec.body as SchemaShape | undefined)?.properties ?? {}
  return html`<section id="${spec.name}"><h2>${spec.name}</h2><p><code>${spec.method} ${spec.path}</code></p><p>${spec.description}</p>
    ${fields('Parameters', parameters)}${fields('Body', body)}
    <p class="soft">${Object.entries(answerCodes(spec)).map(([status, words]) => html`${status}: ${words} `)}</p></section>`
}

function fields(title: string, properties: Record<string, SchemaShape>): Html {
  const rows = Object.entries(properties)
  if (rows.length === 0) return html``
  return html`<table><thead><tr><th>${title}</th><th>Type</th><th></th></tr></thead><tbody>${rows.map(
    ([name, schema]) =>
      html`<tr><td><code>${name}</code></td><td>${typeName(schema)}</td><td>${schema.description ?? ''}</td></tr>`,
  )}</tbody></table>`
}
