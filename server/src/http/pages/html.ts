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

/** A page of the service's own. Its look is the console's: one stylesheet, made from the same tokens. */
export function page(title: string, body: Html, width: 'narrow' | 'wide' = 'narrow'): string {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${title} · Patchbay</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml"><link rel="stylesheet" href="/public.css"></head>
<body><main class="${width}"><p class="brand"><img src="/favicon.svg" width="28" height="28" alt="">Patchbay</p><h1>${title}</h1>${body}</main></body></html>`
    .text
}
