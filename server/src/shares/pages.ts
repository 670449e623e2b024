// The public page of a share. It works without scripts. Looking at it (GET) asks nothing and changes nothing, because mail scanners look at links;
// only sending the form does. The forms name no address, so they go to the address of the page, and no page shows which share it is about.
import type { Readable } from 'node:stream'
import type { FileStores } from '../files/index.ts'
import { html, type Page, page } from '../http/index.ts'
import { downloadPath } from './notification.ts'
import { type OpenDeps, type OpenedShare, openShare, recordDownload } from './open-share.ts'
import { readShareFile } from './share-file.ts'
import { codeTurnstile } from './share-key.ts'

type PageDeps = OpenDeps & { files: FileStores; onFault: (error: unknown) => void }

type Answer = Awaited<ReturnType<Page['render']>>

export function sharePages(given: Omit<PageDeps, 'turnstile'>): Page[] {
  const deps = { ...given, turnstile: codeTurnstile() }
  return [
    {
      method: 'GET',
      path: downloadPath,
      render: ({ query }) => ({ status: 200, html: page(title, codeForm(query['code'] ?? '')) }),
    },
    {
      method: 'POST',
      path: downloadPath,
      render: async ({ query, form, exchange }) => {
        const code = form['code'] ?? query['code'] ?? ''
        const share = await openShare(deps, query['shareid'] ?? form['shareid'] ?? '', code, exchange.address)
        if (!share) return refused
        if (form['file'] === undefined) return { status: 200, html: listPage(share, code) }
        const slot = exchange.takeDownloadSlot(share)
        exchange.onClose(() => slot.release())
        return sendShareFile(deps, share, form['file'], exchange.address)
      },
    },
  ]
}

const title = 'Secure share'

const codeForm = (code: string) => html`<p>Enter the code to see the files.</p>
<form method="post"><label for="code">Code</label><input id="code" name="code" value="${code}" autocomplete="off" maxlength="200" required>
<button>Show the files</button></form>`

const refused: Answer = {
  status: 404,
  html: page(
    title,
    html`<p class="bad" role="alert">The code is wrong, or the share does not exist, has expired, was revoked or is locked.</p>${codeForm('')}`,
  ),
}

async function sendShareFile(deps: PageDeps, share: OpenedShare, fileId: string, address: string): Promise<Answer> {
  const index = share.content.files.findIndex((file) => file.id === fileId)
  const file = share.content.files[index]
  if (!file) return refused
  const store = deps.files.find(share.storageId)
  if (!store) {
    return sorry(503, 'The files of this share are stored on another machine of this service. Please tell the sender.')
  }
  let stream: Readable | undefined
  try {
    stream = await readShareFile(store, share.dataKey, { shareId: share.id, fileId: file.id, index })
    stream.once('error', deps.onFault)
    await recordDownload(deps, share, index, address)
    return { file: { name: file.name, contentType: file.contentType, bytes: file.bytes, stream } }
  } catch (error) {
    stream?.destroy()
    deps.onFault(error)
    return sorry(500, 'The file cannot be read. Please tell the sender.')
  }
}

function sorry(status: number, sentence: string): Answer {
  return { status, html: page(title, html`<p class="bad" role="alert">${sentence}</p>`) }
}

function listPage({ content, expiresAt }: OpenedShare, code: string): string {
  const rows = content.files.map(
    (
      file,
    ) => html`<tr><td>${file.name}</td><td>${sizeOf(file.bytes)}</td><td><form method="post"><input type="hidden" name="code" value="${code}">
<input type="hidden" name="file" value="${file.id}"><button aria-label="Download ${file.name}">Download</button></form></td></tr>`,
  )
  return page(
    title,
    html`${content.note === null ? html`` : html`<pre>${content.note}</pre>`}
<table><thead><tr><th>File</th><th>Size</th><th></th></tr></thead><tbody>${rows}</tbody></table>
<p class="soft">Available until ${expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC.</p>`,
  )
}

function sizeOf(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']
  const power = bytes === 0 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  return `${power === 0 ? bytes : (bytes / 1024 ** power).toFixed(1)} ${units[power]}`
}
