import { features, type OperationSpec, operations } from '@patchbay/contract'
import { FixedAnswer } from '../answer/fixed-answer.ts'
import type { Page } from '../handler.ts'
import { type Html, html } from '../pages/html.ts'
import { describeOperation } from './operation.ts'

const all: readonly OperationSpec[] = Object.values(operations)

/** The API reference, made from the same table as everything else. It can be read without keys and without scripts. */
export function referencePage(): Page {
  // Made when somebody first asks: it would be a tenth of every start.
  let fixed: FixedAnswer | undefined
  const answer = () => {
    fixed ??= new FixedAnswer(render().text, 'text/html; charset=utf-8')
    return { fixed, hasScript: true }
  }
  return { method: 'GET', path: '/reference', render: answer }
}

function render(): Html {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>API reference · Patchbay</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml"><link rel="stylesheet" href="/public.css">
<link rel="stylesheet" href="/reference.css"><script src="/theme.js"></script><script type="module" src="/reference.js"></script></head>
<body class="reference"><header><a href="/"><img src="/favicon.svg" width="20" height="20" alt=""> Patchbay</a>
<nav aria-label="Main"><a href="/">Home</a><a href="/workflows">Workflows</a><a href="/reference" aria-current="page">API reference</a></nav></header>
<div class="columns"><nav aria-label="Chapters" class="chapters"><label>Search <input type="search" id="search" autocomplete="off"></label>
<ul>${Object.keys(features).map((name) => html`<li><a href="#${slug(name)}">${name}</a></li>`)}</ul></nav>
<main><h1>API reference</h1>${introduction}<p id="found" role="status"></p>${Object.entries(features).map(chapter)}</main></div></body></html>`
}

const introduction = html`<p>Send a key pair as <code>Consumer</code> and <code>SecretKey</code> with every request. To act for another account, name it
in <code>ManagedAccountId</code>. A refusal has the body <code>{code, errorMessage, response}</code>; the message says what is wrong and with which field.
Ids are GUIDs, times are ISO 8601, and enum values are case-insensitive. The same reference is available
as <a href="/openapi.json">OpenAPI 3.1</a>.</p>
<pre tabindex="0"><code>curl https://patchbay.example.com/api/Authenticate -H "Consumer: pbc_…" -H "SecretKey: pbs_…"</code></pre>`

function chapter([name, description]: [string, string]): Html {
  const operations = all.filter((spec) => spec.feature === name)
  return html`<section aria-labelledby="${slug(name)}"><h2 id="${slug(name)}">${name}</h2><p class="soft">${description}</p>
${operations.map(describeOperation)}</section>`
}

function slug(name: string): string {
  return `chapter-${name.toLowerCase().replaceAll(' ', '-')}`
}
