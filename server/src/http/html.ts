// Pages for people that the service renders itself: plain, quick, without scripts.

const special: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Values are escaped unless they are Html themselves. */
export function html(strings: TemplateStringsArray, ...values: (string | number | Html | readonly Html[])[]): Html {
  return new Html(
    strings.reduce((all, piece, index) => {
      const value = values[index - 1]
      const text = Array.isArray(value)
        ? value.map((part: Html) => part.text).join('')
        : value instanceof Html
          ? value.text
          : escapeHtml(String(value))
      return all + text + piece
    }),
  )
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => special[character] as string)
}

export function page(title: string, body: Html): string {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Patchbay</title><style>${new Html(style)}</style></head>
<body><main><h1>${title}</h1>${body}</main></body></html>`.text
}

const style = `
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #ffffff; --line: #d5dae1; --act: #0b57d0; --soft: #5a6472; --bad: #b3261e }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --paper: #15181c; --line: #3a414b; --act: #8ab4f8; --soft: #a3adba; --bad: #f2b8b5 } }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper) }
main { max-width: 46rem; margin: 0 auto; padding: 2rem 1.25rem }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2rem }
label { display: block; margin: 1rem 0 .25rem } input { width: 100%; box-sizing: border-box; font: inherit; padding: .5rem; border: 1px solid var(--line); border-radius: 6px; background: transparent; color: inherit }
button { margin-top: 1.25rem; font: inherit; padding: .55rem 1.2rem; border: 0; border-radius: 6px; background: var(--act); color: var(--paper); cursor: pointer }
a { color: var(--act) } .bad { color: var(--bad) } .soft { color: var(--soft) }
code, pre { font: 14px/1.5 ui-monospace, monospace } pre { overflow-x: auto; padding: .75rem; border: 1px solid var(--line); border-radius: 6px }
table { border-collapse: collapse; width: 100% } td, th { text-align: left; padding: .3rem .5rem; border-bottom: 1px solid var(--line); vertical-align: top }
`
